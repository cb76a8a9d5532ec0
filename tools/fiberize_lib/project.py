"""What one file must know of the others, put together from the facts of all: who includes whom, what is declared where,
which variables are thread-local."""
import collections
import os


class Project:
    """`facts`: {file: facts}; `folders`: where a compiler looks for headers (of a compile database), as names of the set."""

    def __init__(self, facts, folders=()):
        self.facts = facts
        self._by_base = collections.defaultdict(list)
        for name in facts:
            self._by_base[name.rsplit('/', 1)[-1]].append(name)
        self._folders = list(folders)
        self._resolved, self._closures, self._merged = {}, {}, {}
        self.bases = collections.defaultdict(set)
        self.members = collections.defaultdict(set)  # (class, watched name) -> files that declare it
        self.locals = collections.defaultdict(list)  # (class or '', name) -> declarations that several files may share
        for name, known in facts.items():
            for derived, bases in known['bases']:
                self.bases[derived].update(bases)
            for owner, member in known.get('members', ()):
                self.members[owner, member].add(name)
            for local in known.get('locals', ()):
                if local['shared']:
                    self.locals[local['owner'], local['name']].append(local)
        self.local_names = {name for _, name in self.locals}

    def resolve(self, file, header):
        """The file of the set that an #include means, None if it is none of them."""
        key = (os.path.dirname(file), header)
        if key not in self._resolved:
            self._resolved[key] = self._resolve(*key)
        return self._resolved[key]

    def _resolve(self, folder, header):
        for place in (folder, *self._folders):
            name = os.path.normpath(os.path.join(place, header))
            if name in self.facts:
                return name
        ending = '/' + os.path.normpath(header).split('../')[-1]
        found = [n for n in self._by_base.get(header.rsplit('/', 1)[-1], ()) if ('/' + n).endswith(ending)]
        # Of several the one that is nearest.
        return max(found, key=lambda n: (len(os.path.commonprefix([n, folder + '/'])), -len(n)), default=None)

    def closure(self, file):
        """The file and all that it includes, as far as they are of the set."""
        if file not in self._closures:
            found, waiting = {file}, [file]
            while waiting:
                at = waiting.pop()
                for header in self.facts[at]['includes'] if at in self.facts else ():
                    name = self.resolve(at, header)
                    if name is not None and name not in found:
                        found.add(name)
                        waiting.append(name)
            self._closures[file] = found
        return self._closures[file]

    def _merge(self, file):
        """(functions, types, macros) that are declared where the file sees it: name -> [(namespaces, where)]."""
        if file not in self._merged:
            functions, others = collections.defaultdict(list), collections.defaultdict(list)
            for name in self.closure(file):
                known = self.facts[name]
                for function, namespaces, where in known.get('functions', ()):
                    functions[function].append((namespaces, where))
                for kind, namespaces, where in known.get('types', ()):
                    others[kind].append((namespaces, where))
                for macro, where in known.get('macros', ()):
                    functions[macro].append(((), where))
            self._merged[file] = functions, others
        return self._merged[file]

    def declared(self, file, name, namespaces=None):
        """Where the file sees a function, type or macro of ours with a watched name, None: nowhere. `namespaces`: those
        around the use, None: of any namespace."""
        functions, types = self._merge(file)
        for declared_in, where in [*functions.get(name, ()), *types.get(name, ())]:
            if namespaces is None or declared_in == namespaces[:len(declared_in)]:
                return where
        return None

    def has_member(self, file, classes, name):
        """Whether one of the classes, or one that it derives from, has a member of that watched name, as the file sees it:
        elsewhere another class may be called like it."""
        seen = self.closure(file)
        return any(self.members.get((c, name), set()) & seen for c in self.with_bases(classes))

    def with_bases(self, classes):
        found, waiting = set(), list(classes)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.bases.get(name, ())
        return found

    def of_closure(self, file, kind):
        """The union of a kind of names over what the file includes."""
        return set().union(*(self.facts[name][kind] for name in self.closure(file)))

    def uses_namespace_std(self, file):
        return any(self.facts[name].get('namespace_std') for name in self.closure(file))
