"""What tools/fiberize is made of: lexer and conditions (text to tokens, and which branches a compiler for Linux sees), source (a file's
tokens, scopes and edits), names (what is rewritten and what is flagged), facts and project (what files must know of each other), the
rules (rules_std, rules_posix, rules_local, rules_spin, rules_flag), includes (headers follow the names), compiled (a compile database),
report, and tree (files on disk). rewrite.py runs the rules over a set of files."""
