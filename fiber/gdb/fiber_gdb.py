"""Fibers in gdb: `source fiber/gdb/fiber_gdb.py`, in a live process or on a core file.

  fiber list            all fibers that have started: number, state, thread, name, innermost functions
  fiber <number> bt     the backtrace of one
  fiber all bt          of each

Needs no debug information of the library: it reads the table fiber_debug_layout (fiber/src/stack.cc).
A suspended fiber of a live x86-64 process is shown by gdb's own unwinder, with arguments; else by the
chain of frame pointers. A running fiber is its thread: `thread apply all bt` has it.
"""
import gdb

STATES = {0: "running", 1: "ready", 2: "waiting"}
MAX_FRAMES = 64
# What lies at a saved stack pointer (context_<arch>.S): frame pointer and return address, in words.
SAVED = {"x86_64": (5, 6), "aarch64": (18, 19)}
LAYOUT = ("version", "arch", "stack_bytes", "stack_pointer", "bottom", "top", "number", "state", "thread", "name",
          "slab_next", "slab_used", "slab_stacks")


def word(address, size=8):
    data = gdb.selected_inferior().read_memory(address, size).tobytes()
    return int.from_bytes(data, "little")


def symbol(name):
    try:
        return int(gdb.parse_and_eval("(unsigned long) &%s" % name))
    except gdb.error:
        raise gdb.GdbError("no %s here: the program has no fiber library, or is stripped" % name)


def layout():
    at = symbol("fiber_debug_layout")
    values = {name: word(at + 4 * i, 4) for i, name in enumerate(LAYOUT)}
    if values["version"] != 1:
        raise gdb.GdbError("fiber_debug_layout has version %d, this script knows 1" % values["version"])
    return values


class Fiber:
    def __init__(self, at, form):
        self.number = word(at + form["number"])
        self.state = STATES.get(word(at + form["state"], 4), "?")
        self.thread = word(at + form["thread"], 4)
        self.stack_pointer = word(at + form["stack_pointer"])
        self.bottom = word(at + form["bottom"])
        self.top = word(at + form["top"])
        name = gdb.selected_inferior().read_memory(at + form["name"], 24).tobytes()
        self.name = name.split(b"\0")[0].decode("utf-8", "replace")
        self.saved = SAVED["x86_64" if form["arch"] == 1 else "aarch64"]

    def title(self):
        name = ' "%s"' % self.name if self.name else ""
        return "fiber %d%s %s, thread %d" % (self.number, name, self.state, self.thread)

    def chain(self):
        """Return addresses by frame pointers, innermost first."""
        def inside(address):
            return self.bottom <= address <= self.top - 16 and address % 8 == 0
        if self.state == "running" or not inside(self.stack_pointer):
            return []
        frame = word(self.stack_pointer + 8 * self.saved[0])
        frames = [word(self.stack_pointer + 8 * self.saved[1])]
        while len(frames) < MAX_FRAMES and inside(frame):
            address, outer = word(frame + 8), word(frame)
            if address == 0:
                break
            frames.append(address)
            if outer <= frame:
                break
            frame = outer
        return frames


def fibers():
    form = layout()
    found = []
    slab = word(symbol("fiber_debug_slabs"))
    while slab != 0:
        stacks = word(slab + form["slab_stacks"])
        for i in range(word(slab + form["slab_used"])):
            fiber = Fiber(stacks + i * form["stack_bytes"], form)
            if fiber.number != 0:
                found.append(fiber)
        slab = word(slab + form["slab_next"])
    return sorted(found, key=lambda fiber: fiber.number)


def name_of(address):
    """Function and offset of a return address, which belongs to the call before it."""
    text = gdb.execute("info symbol 0x%x" % (address - 1), to_string=True)
    return "0x%x" % address if text.startswith("No symbol") else text.split(" in section")[0].strip()


def short_name_of(address):
    return name_of(address).replace("(anonymous namespace)::", "").split("(")[0]


def live_backtrace(fiber):
    """By gdb's unwinder, in the registers as they will be when the fiber goes on; None if it cannot."""
    if fiber.saved != SAVED["x86_64"]:
        return None
    names = ("r15", "r14", "r13", "r12", "rbx", "rbp", "pc")  # as saved, upwards; then the red zone
    frame = gdb.selected_frame()
    gdb.execute("frame 0", to_string=True)
    try:
        before = {name: int(gdb.parse_and_eval("(unsigned long) $%s" % name)) for name in names + ("rsp",)}
        try:
            for i, name in enumerate(names):
                gdb.execute("set $%s = 0x%x" % (name, word(fiber.stack_pointer + 8 * i)), to_string=True)
            gdb.execute("set $rsp = 0x%x" % (fiber.stack_pointer + 8 * len(names) + 128), to_string=True)
            return gdb.execute("bt %d" % MAX_FRAMES, to_string=True)
        finally:
            for name, value in before.items():
                gdb.execute("set $%s = 0x%x" % (name, value), to_string=True)
            gdb.execute("frame 0", to_string=True)
    except gdb.error:
        return None  # a core file: its registers cannot be set
    finally:
        try:
            frame.select()
        except gdb.error:
            pass


def show(fiber):
    print(fiber.title())
    if fiber.state == "running":
        print("    runs: see the backtrace of thread %d" % fiber.thread)
        return
    text = live_backtrace(fiber)
    if text is not None and len(text.splitlines()) > 1:
        print(text.rstrip())
        return
    for i, address in enumerate(fiber.chain()):
        print("#%-2d %s" % (i, name_of(address)))


class FiberCommand(gdb.Command):
    """fiber list | fiber <number> bt | fiber all bt"""

    def __init__(self):
        super().__init__("fiber", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if words == ["list"]:
            for fiber in fibers():
                chain = " < ".join(short_name_of(address) for address in fiber.chain()[:4])
                print(fiber.title() + (": " + chain if chain else ""))
        elif words == ["all", "bt"]:
            for fiber in fibers():
                show(fiber)
                print("")
        elif len(words) == 2 and words[0].isdigit() and words[1] == "bt":
            wanted = [fiber for fiber in fibers() if fiber.number == int(words[0])]
            if not wanted:
                raise gdb.GdbError("no fiber %s: `fiber list`" % words[0])
            show(wanted[0])
        else:
            raise gdb.GdbError(self.__doc__)


FiberCommand()
