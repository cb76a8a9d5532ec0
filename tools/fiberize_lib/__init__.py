"""What tools/fiberize is made of: lexer (text to tokens), source (a file's tokens, scopes and edits), names (what is
rewritten and what is flagged), the rules (rules_std, rules_posix, rules_local, rules_flag), includes (headers follow the names) and tree
(files on disk). rewrite.py runs the rules over a set of files."""
