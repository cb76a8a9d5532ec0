"""Files on disk: which of them are C++, reading them, and writing them so that each is either the old or the new one."""
import contextlib
import fnmatch
import os
import pathlib
import re
import shutil
import tempfile

SUFFIXES = ('.h', '.hh', '.hpp', '.hxx', '.h++', '.inl', '.ipp', '.tcc', '.tpp', '.cc', '.cpp', '.cxx', '.c++', '.C',
            '.cppm', '.ixx')
VERSION_CONTROL = ('.git', '.hg', '.svn', '.bzr', 'CVS', '.pc')  # .pc: quilt's

NOWHERE = 'a symbolic link that leads nowhere, or in a circle'

C_THREADS = re.compile(r'\b(?:pthread_(?:mutex|cond|rwlock|spin|barrier|create|join|once|key)\w*|sem_wait|sem_timedwait|mtx_lock|'
                       r'thrd_create)\s*\(')


class TreeError(Exception):
    """Wrong use or unreadable input, in words for the user."""


class Found:
    def __init__(self):
        self.files = {}  # name as shown -> path
        self.skipped = []  # (name, why)
        self.unused = []  # patterns of --exclude that fit nothing
        self.c_files = {}  # C, which stays as it is: name as shown -> path


class _Excluded:
    """The patterns of --exclude. A pattern fits a path as it is shown, or below its argument, normalised: `./a/../b/*`,
    `b/*` and, for all of a folder, `b` or `b/`."""

    def __init__(self, patterns):
        self.patterns = {pattern: os.path.normpath(pattern) for pattern in patterns}
        self.used = set()

    def fits(self, shown, inner):
        found = False
        for pattern, normal in self.patterns.items():
            for path in {os.path.normpath(shown), os.path.normpath(inner)}:
                # The path itself, or a folder that it lies in.
                parts = path.split(os.sep)
                if any(fnmatch.fnmatch(os.sep.join(parts[:n]), normal) for n in range(1, len(parts) + 1)):
                    self.used.add(pattern)
                    found = True
        return found

    def unused(self):
        return [pattern for pattern in self.patterns if pattern not in self.used]


def find(arguments, exclude):
    """The C++ files of the arguments, files or folders."""
    found = Found()
    seen = set()
    excluded = _Excluded(exclude)
    for argument in arguments:
        path = pathlib.Path(argument)
        try:
            exists = path.exists()
            root = path.resolve()
        except (OSError, RuntimeError) as problem:
            raise TreeError(f'{argument}: {NOWHERE}') from problem
        if not exists:
            raise TreeError(f'{argument}: {NOWHERE if path.is_symlink() else "no such file or folder"}')
        if root.is_file():
            if root.suffix not in SUFFIXES:
                what = 'C, not C++' if root.suffix == '.c' else 'not C++'
                raise TreeError(f'{argument}: {what} (by its name; C++ is {" ".join(SUFFIXES)})')
            _take(found, seen, argument, argument, root, excluded)
        elif root.is_dir():
            for folder, folders, files in os.walk(root, onerror=_refuse):
                folders[:] = sorted(f for f in folders if f not in VERSION_CONTROL)
                for file in sorted(files):
                    inner = pathlib.Path(folder, file)
                    below = os.path.relpath(inner, root)
                    shown = os.path.normpath(os.path.join(argument, below))
                    if inner.suffix == '.c' and inner.is_file() and not excluded.fits(shown, below):
                        found.c_files[shown] = inner
                    if inner.suffix in SUFFIXES:
                        _take(found, seen, shown, below, inner, excluded, root)
        else:
            raise TreeError(f'{argument}: neither a file nor a folder')
    found.unused = excluded.unused()
    return found


def _refuse(problem):
    raise TreeError(f'{problem.filename}: {problem.strerror}') from problem


def _take(found, seen, shown, below, path, excluded, root=None):
    if excluded.fits(shown, below):
        found.skipped.append((shown, 'excluded'))
        return
    if path.is_symlink():
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            found.skipped.append((shown, NOWHERE))
            return
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
            wide = data[:2] in (b'\xff\xfe', b'\xfe\xff')
            found.skipped.append((shown, 'UTF-16 or UTF-32, which is not supported: convert it to UTF-8' if wide else
                                  'binary'))
            del found.files[shown]
        else:
            texts[shown] = data.decode('latin-1')
    return texts


def threads_in_c(found):
    """(name, line) of the first use of pthread's locks and threads in each C file: they stay the system's."""
    for shown, path in found.c_files.items():
        try:
            text = path.read_text(encoding='latin-1')
        except OSError as problem:
            raise TreeError(f'{shown}: {problem.strerror}') from problem
        match = C_THREADS.search(text)
        if match:
            yield shown, text.count('\n', 0, match.start()) + 1


class Copy:
    """A copy of what the arguments name, made beside the folder `output`, which must be new or empty, and moved there when
    it is complete: an interrupted run leaves no half of one. places: where the arguments are in it; a single folder's
    contents go straight into it."""

    def __init__(self, arguments, output):
        self.target = pathlib.Path(output)
        if self.target.exists() and (not self.target.is_dir() or any(self.target.iterdir())):
            raise TreeError(f'{output}: must be a new or an empty folder')
        for argument in arguments:
            path = pathlib.Path(argument)
            if not path.exists():
                raise TreeError(f'{argument}: no such file or folder')
            if path.is_dir() and self.target.resolve().is_relative_to(path.resolve()):
                raise TreeError(f'{output}: lies inside of {argument}')
        try:
            self.target.resolve().parent.mkdir(parents=True, exist_ok=True)
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f'.{self.target.name}.', dir=self.target.resolve().parent))
        except OSError as problem:
            raise TreeError(f'{output}: {problem.strerror}') from problem
        try:
            self.places = self._fill(arguments)
        except BaseException:
            self.drop()
            raise

    def _fill(self, arguments):
        placed = []
        try:
            for argument in arguments:
                path = pathlib.Path(argument)
                alone = len(arguments) == 1 and path.is_dir()
                place = self.folder if alone else self.folder / path.resolve().name
                if place.exists() and not alone:
                    raise TreeError(f'{argument}: two arguments have the name {place.name}')
                if path.is_dir():
                    shutil.copytree(path, place, symlinks=True, dirs_exist_ok=True,
                                    ignore=shutil.ignore_patterns(*VERSION_CONTROL))
                else:
                    shutil.copy2(path, place)
                placed.append(str(place))
        except (OSError, shutil.Error) as problem:
            raise TreeError(f'{self.target}: {problem}') from problem
        return placed

    def finish(self):
        try:
            if self.target.exists():
                self.target.rmdir()
            else:
                self.folder.chmod(0o777 & ~_umask())
            self.folder.rename(self.target)
        except OSError as problem:
            raise TreeError(f'{self.target}: {problem.strerror}') from problem

    def drop(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_writable(places):
    """Before the first file is written: whether all can be."""
    refused = [path for path in places if not os.access(path.parent, os.W_OK | os.X_OK)]
    if refused:
        raise TreeError(f'{refused[0].parent}: Permission denied ({len(refused)} of {len(places)} files could not be '
                        'rewritten); nothing was written')


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
        with contextlib.suppress(FileNotFoundError):  # it was in its place already
            os.unlink(temporary)
        raise
