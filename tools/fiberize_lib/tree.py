"""Files on disk: which of them are C++, reading them, and writing them so that each is either the old or the new one."""
import fnmatch
import os
import pathlib
import shutil
import tempfile

SUFFIXES = ('.h', '.hh', '.hpp', '.hxx', '.h++', '.inl', '.ipp', '.tcc', '.tpp', '.cc', '.cpp', '.cxx', '.c++', '.C',
            '.cppm', '.ixx')
VERSION_CONTROL = ('.git', '.hg', '.svn', '.bzr', 'CVS')


class TreeError(Exception):
    """Wrong use or unreadable input, in words for the user."""


class Found:
    def __init__(self):
        self.files = {}  # name as shown -> path
        self.skipped = []  # (name, why)


def find(arguments, exclude):
    """The C++ files of the arguments, files or folders."""
    found = Found()
    seen = set()
    for argument in arguments:
        path = pathlib.Path(argument)
        if not path.exists():
            raise TreeError(f'{argument}: no such file or folder')
        root = path.resolve()
        if root.is_file():
            if root.suffix not in SUFFIXES:
                what = 'C, not C++' if root.suffix == '.c' else 'not C++'
                raise TreeError(f'{argument}: {what} (by its name; C++ is {" ".join(SUFFIXES)})')
            _take(found, seen, argument, root, exclude)
        elif root.is_dir():
            for folder, folders, files in os.walk(root):
                folders[:] = sorted(f for f in folders if f not in VERSION_CONTROL)
                for file in sorted(files):
                    inner = pathlib.Path(folder, file)
                    shown = os.path.join(argument, os.path.relpath(inner, root))
                    if inner.suffix in SUFFIXES:
                        _take(found, seen, shown, inner, exclude, root)
        else:
            raise TreeError(f'{argument}: neither a file nor a folder')
    return found


def _take(found, seen, shown, path, exclude, root=None):
    if any(fnmatch.fnmatch(shown, pattern) for pattern in exclude):
        found.skipped.append((shown, 'excluded'))
        return
    if path.is_symlink():
        target = path.resolve()
        if root is None or not target.is_relative_to(root):
            found.skipped.append((shown, 'a symbolic link that leads out of the tree'))
        return  # what lies inside is found by itself
    if not path.is_file():
        found.skipped.append((shown, 'not a plain file'))
        return
    if path in seen:
        return
    seen.add(path)
    found.files[shown] = path


def read(found):
    """{name: text}, one character per byte; binary files go to found.skipped."""
    texts = {}
    for shown, path in list(found.files.items()):
        try:
            data = path.read_bytes()
        except OSError as problem:
            raise TreeError(f'{shown}: {problem.strerror}') from problem
        if b'\0' in data:
            found.skipped.append((shown, 'binary (or UTF-16, which is not supported)'))
            del found.files[shown]
        else:
            texts[shown] = data.decode('latin-1')
    return texts


def copy(arguments, output):
    """Copies what the arguments name to the folder `output`, which must be new or empty, and returns the arguments'
    new places. A single folder's contents go straight into it."""
    target = pathlib.Path(output)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise TreeError(f'{output}: must be a new or an empty folder')
    placed = []
    for argument in arguments:
        path = pathlib.Path(argument)
        if not path.exists():
            raise TreeError(f'{argument}: no such file or folder')
        if path.is_dir() and target.resolve().is_relative_to(path.resolve()):
            raise TreeError(f'{output}: lies inside of {argument}')
    try:
        for argument in arguments:
            path = pathlib.Path(argument)
            alone = len(arguments) == 1 and path.is_dir()
            place = target if alone else target / path.resolve().name
            if place.exists() and not alone:
                raise TreeError(f'{argument}: two arguments have the name {place.name}')
            if path.is_dir():
                shutil.copytree(path, place, symlinks=True, dirs_exist_ok=True,
                                ignore=shutil.ignore_patterns(*VERSION_CONTROL))
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, place)
            placed.append(str(place))
    except (OSError, shutil.Error) as problem:
        raise TreeError(f'{output}: {problem}') from problem
    return placed


def write(path, text):
    """Replaces the file in one step, keeping its mode and, where allowed, its owner."""
    status = path.stat()
    handle, temporary = tempfile.mkstemp(prefix=f'.{path.name}.', dir=path.parent)
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(text.encode('latin-1'))
            file.flush()
            os.fchmod(file.fileno(), status.st_mode & 0o7777)
            try:
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            except PermissionError:
                pass  # only the superuser gives files away
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
