"""A compile database (compile_commands.json): which files are compiled, with which macros, and where headers are."""
import json
import os
import pathlib
import shlex

FOLDER_FLAGS = ('-I', '-iquote', '-isystem', '-idirafter')


class DatabaseError(Exception):
    """In words for the user."""


class Database:
    """files: paths that are compiled; macros: name -> number or True, those that every command gives the same;
    folders: paths of headers."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.files, self.macros, self.folders = set(), {}, []
        try:
            entries = json.loads(self.path.read_text(encoding='utf-8'))
            for entry in entries:
                self._add(entry)
        except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise DatabaseError(f'{path}: no compile database: {problem}') from problem
        if not self.files:
            raise DatabaseError(f'{path}: names no file')

    def _add(self, entry):
        folder = pathlib.Path(entry['directory'])
        words = entry['arguments'] if 'arguments' in entry else shlex.split(entry['command'])
        macros, k = {}, 0
        while k < len(words):
            word = words[k]
            if word in ('-D', '-U', *FOLDER_FLAGS) and k + 1 < len(words):
                k += 1
                word += words[k]
            for flag in FOLDER_FLAGS:
                if word.startswith(flag) and word != flag:
                    place = os.path.normpath(folder / word[len(flag):])
                    if place not in self.folders:
                        self.folders.append(place)
            if word.startswith('-D'):
                name, _, value = word[2:].partition('=')
                macros[name] = int(value, 0) if value.isdigit() else True
            elif word.startswith('-U'):
                macros[word[2:]] = False
            k += 1
        if self.files:
            self.macros = {name: value for name, value in self.macros.items() if macros.get(name) == value}
        else:
            self.macros = macros
        self.files.add(os.path.realpath(folder / entry['file']))


def find(paths, given):
    """The database that was given, or the one at the root of a folder, or in its build/; None without one."""
    if given:
        return Database(given)
    for path in paths:
        for place in (pathlib.Path(path, 'compile_commands.json'), pathlib.Path(path, 'build', 'compile_commands.json')):
            if place.is_file():
                return Database(place)
    return None
