//! Nothing: tests/suite.rs is all.
