"""Real FTP clients and servers, and odd ones, with `adit forward ftp://…` in between.

Run as `scenarios.py ADIT NAME`; an assertion that fails ends it with a traceback. Everything is on
loopback and in a folder of its own; nothing is left behind.
"""

import contextlib
import ftplib
import hashlib
import io
import os
import queue
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import traceback

PATIENCE = 30
ADIT = sys.argv[1]


class Server:
    """pyftpdlib on a free port of a host, in a process of its own."""

    PROGRAM = """
import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer
class Handler(FTPHandler):
    def on_file_received(self, file): print("whole", flush=True)
    def on_incomplete_file_received(self, file): print("incomplete", flush=True)
    def on_incomplete_file_sent(self, file): print("incomplete", flush=True)
    def on_disconnect(self): print("left", flush=True)
Handler.authorizer = DummyAuthorizer()
Handler.authorizer.add_anonymous(sys.argv[2], perm="elradfmwMT")
server = FTPServer((sys.argv[1], 0), Handler)
print(server.address[1], flush=True)
server.serve_forever()
"""

    def __init__(self, host, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", self.PROGRAM, host, folder],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline())
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())

    def says(self):
        return self.lines.get(timeout=PATIENCE)

    def close(self):
        self.process.kill()
        self.process.wait()


class Adit:
    def __init__(self, host, target, *options):
        name = f"[{host}]" if ":" in host else host
        self.process = subprocess.Popen(
            [ADIT, "forward", f"ftp://{name}:0", target, "--log", "text", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.name = name
        for line in self.process.stderr:
            found = re.match(r"listening ftp \S*:(\d+) ", line)
            if found:
                self.port = int(found[1])
                return
        raise AssertionError("adit does not listen")

    def close(self):
        """Ends it; all flows must have ended by then. Gives the access log."""
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, err
        return out


def target(host, port):
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@contextlib.contextmanager
def relayed(client="127.0.0.1", server="127.0.0.1", *options):
    folder = tempfile.mkdtemp()
    running = Server(server, folder)
    adit = Adit(client, target(server, running.port), *options)
    adit.server, adit.folder, adit.host = running, folder, client
    try:
        yield adit
        adit.log = adit.close()
        assert "ftp" in adit.log
    finally:
        adit.process.kill()
        adit.process.wait()
        running.close()
        shutil.rmtree(folder)


def put(folder, name, size):
    data = os.urandom(size)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    return data


def session(adit, passive=True):
    ftp = ftplib.FTP(timeout=PATIENCE)
    ftp.connect(adit.host, adit.port)
    ftp.login()
    ftp.set_pasv(passive)
    ftp.voidcmd("TYPE I")
    return ftp


def run(*command):
    return subprocess.run(
        command, check=True, timeout=2 * PATIENCE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE).stdout


FAMILIES = [(a, b) for a in ("127.0.0.1", "::1") for b in ("127.0.0.1", "::1")]


def curl():
    for client, server in FAMILIES:
        with relayed(client, server) as adit:
            url = f"ftp://{adit.name}:{adit.port}/"
            data = put(adit.folder, "big", 3_000_000)
            put(adit.folder, "empty", 0)
            local = os.path.join(adit.folder, "big")
            for form in ([], ["--disable-epsv"], ["-P", "-"], ["-P", "-", "--disable-eprt"]):
                get = ["curl", "-sS", "--max-time", "30", *form]
                assert run(*get, url + "big") == data
                assert run(*get, url + "empty") == b""
                assert b"empty" in run(*get, url)
                run(*get, "-T", local, url + "copy")
                assert open(os.path.join(adit.folder, "copy"), "rb").read() == data
        assert adit.log.count("protocol=ftp-data") == 16, adit.log


def wget():
    for client, server in FAMILIES:
        with relayed(client, server) as adit:
            data = put(adit.folder, "big", 2_000_000)
            for form in ([], ["--no-passive-ftp"]):
                got = run("wget", "-q", "-t", "1", "-T", "30", *form, "-O", "-",
                          f"ftp://{adit.name}:{adit.port}/big")
                assert got == data


def lftp():
    for client, server in FAMILIES:
        with relayed(client, server) as adit:
            tree = os.path.join(adit.folder, "tree")
            os.mkdir(tree)
            data = {f"f{number}": put(tree, f"f{number}", number * 97) for number in range(60)}
            copy = os.path.join(adit.folder, "copy")
            start = f"set net:timeout 20; set net:max-retries 1; open ftp://{adit.name}:{adit.port}"
            run("lftp", "-c", f"{start}; mirror --parallel=4 tree {copy}")
            for name, expected in data.items():
                assert open(os.path.join(copy, name), "rb").read() == expected
            # Not in parallel: lftp's active transfers then time out without a relay, too.
            run("lftp", "-c", f"set ftp:passive-mode off; {start}; get tree/f59 -o {copy}/active")
            assert open(os.path.join(copy, "active"), "rb").read() == data["f59"]


def python():
    for client, server in FAMILIES:
        with relayed(client, server) as adit:
            data = put(adit.folder, "a", 500_000)
            for passive in (True, False):
                ftp = session(adit, passive)
                assert ftp.nlst() in (["a"], ["a", "b"], ["b", "a"])
                assert "a" in dict(ftp.mlsd())
                got = io.BytesIO()
                ftp.retrbinary("RETR a", got.write)
                assert got.getvalue() == data
                ftp.storbinary("STOR b", io.BytesIO(data))
                assert ftp.size("b") == len(data)
                got = io.BytesIO()
                ftp.retrbinary("RETR b", got.write, rest=100)
                assert got.getvalue() == data[100:]
                ftp.quit()


def vsftpd():
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    data = put(folder, "a", 2_000_000)
    os.chmod(os.path.join(folder, "a"), 0o644)
    probe = socket.create_server(("127.0.0.1", 0))
    port = probe.getsockname()[1]
    probe.close()
    configuration = os.path.join(folder, "vsftpd.conf")
    with open(configuration, "w") as file:
        file.write(
            f"listen=YES\nlisten_address=127.0.0.1\nlisten_port={port}\nbackground=NO\n"
            "anonymous_enable=YES\nlocal_enable=NO\nno_anon_password=YES\n"
            f"anon_root={folder}\nsecure_chroot_dir={folder}\nseccomp_sandbox=NO\n"
            "connect_from_port_20=NO\nxferlog_enable=NO\n")
    server = subprocess.Popen(["/usr/sbin/vsftpd", configuration])
    adit = None
    try:
        for _ in range(1000):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                select.select([], [], [], 0.01)
        for client in ("127.0.0.1", "::1"):
            adit = Adit(client, f"127.0.0.1:{port}")
            adit.host = client
            for passive in (True, False):
                ftp = session(adit, passive)
                got = io.BytesIO()
                ftp.retrbinary("RETR a", got.write)
                assert got.getvalue() == data
                ftp.voidcmd("TYPE I")
                transfer = ftp.transfercmd("RETR a")
                transfer.recv(1000)
                abort(ftp, transfer)
                assert "a" in ftp.nlst()
                ftp.quit()
            adit.close()
    finally:
        if adit:
            adit.process.kill()
            adit.process.wait()
        server.kill()
        server.wait()
        shutil.rmtree(folder)


def abort(ftp, transfer):
    """ABOR as clients send it, with urgent data; then every reply up to that of a NOOP."""
    ftp.sock.sendall(b"\xff\xf4\xff", socket.MSG_OOB)
    ftp.sock.sendall(b"\xf2ABOR\r\n")
    while True:
        try:
            if not transfer.recv(65536):
                break
        except ConnectionResetError:
            break
    transfer.close()
    ftp.sock.sendall(b"NOOP\r\n")
    replies = [ftp.getmultiline()[:3]]
    while replies[-1] != "200":
        replies.append(ftp.getmultiline()[:3])
    assert len(replies) > 1, replies


def abor():
    with relayed() as adit:
        put(adit.folder, "big", 20_000_000)
        for passive in (True, False):
            ftp = session(adit, passive)
            ftp.voidcmd("TYPE I")
            transfer = ftp.transfercmd("RETR big")
            transfer.recv(1000)
            abort(ftp, transfer)
            assert ftp.nlst() == ["big"]
            ftp.sendcmd("PASV" if passive else "NOOP")
            assert ftp.sendcmd("ABOR")[:3] in ("225", "226")
            assert ftp.nlst() == ["big"]
            ftp.quit()


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def aborted_upload():
    """A reset of an upload is a reset for the server too, passive and active."""
    def serve(control, lines):
        control.sendall(b"220 ready\r\n")
        command = lines.readline()
        if command == b"PASV\r\n":
            listener = socket.create_server(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            control.sendall(f"227 (127,0,0,1,{port >> 8},{port & 255})\r\n".encode())
            transfer, _ = listener.accept()
            listener.close()
        else:
            numbers = command.decode().split()[1].split(",")
            port = int(numbers[4]) * 256 + int(numbers[5])
            control.sendall(b"200 ok\r\n")
            transfer = socket.create_connection(("127.0.0.1", port), PATIENCE)
        assert lines.readline() == b"STOR a\r\n"
        control.sendall(b"150 go\r\n")
        # What the client's kernel still held is lost with the reset.
        assert expect_reset(transfer) <= 300_000
        control.sendall(b"426 no\r\n")
        transfer.close()

    def client(control, lines, passive):
        lines.readline()
        if passive:
            control.sendall(b"PASV\r\n")
            port = ftplib.parse227(lines.readline().decode())[1]
            transfer = socket.create_connection(("127.0.0.1", port), PATIENCE)
        else:
            listener = socket.create_server(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            control.sendall(f"PORT 127,0,0,1,{port >> 8},{port & 255}\r\n".encode())
            assert lines.readline() == b"200 ok\r\n"
            transfer, _ = listener.accept()
            listener.close()
        control.sendall(b"STOR a\r\n")
        assert lines.readline() == b"150 go\r\n"
        transfer.sendall(b"x" * 300_000)
        reset(transfer)
        assert lines.readline() == b"426 no\r\n"

    for passive in (True, False):
        fake(serve, lambda control, lines: client(control, lines, passive))


def control_loss():
    """The client's control connection is lost: both ends of the data connection see a reset."""
    def serve(control, lines):
        control.sendall(b"220 ready\r\n")
        lines.readline()
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        control.sendall(f"227 (127,0,0,1,{port >> 8},{port & 255})\r\n".encode())
        transfer, _ = listener.accept()
        listener.close()
        assert expect_reset(transfer) <= 300_000
        assert expect_reset(control) == 0

    def client(control, lines):
        lines.readline()
        control.sendall(b"PASV\r\n")
        port = ftplib.parse227(lines.readline().decode())[1]
        transfer = socket.create_connection(("127.0.0.1", port), PATIENCE)
        transfer.sendall(b"x" * 300_000)
        lines.close()
        reset(control)
        assert expect_reset(transfer) == 0

    fake(serve, client)


def expect_reset(connection):
    """How many bytes came before the reset, which must come."""
    count = 0
    try:
        while part := connection.recv(65536):
            count += len(part)
    except ConnectionResetError:
        return count
    raise AssertionError(f"an end of stream after {count} bytes")


def third_host():
    with relayed() as adit:
        data = put(adit.folder, "a", 1000)
        ftp = session(adit)
        host, port = ftp.makepasv()
        for _ in range(3):
            stranger = socket.socket()
            stranger.settimeout(PATIENCE)
            stranger.bind(("127.0.0.2", 0))
            try:
                stranger.connect((host, port))
                assert not stranger.recv(1)
            except ConnectionResetError:
                pass
            stranger.close()
        transfer = socket.create_connection((host, port), PATIENCE)
        ftp.sendcmd("RETR a")
        got = b""
        while part := transfer.recv(4096):
            got += part
        assert got == data
        transfer.close()
        ftp.voidresp()
        ftp.quit()


def bounce():
    with relayed() as adit:
        data = put(adit.folder, "a", 1000)
        ftp = session(adit)
        victim = socket.create_server(("127.0.0.2", 0))
        port = victim.getsockname()[1]
        mine = socket.create_server(("127.0.0.1", port))
        mine.settimeout(PATIENCE)
        ftp.sendcmd(f"PORT 127,0,0,2,{port >> 8},{port & 255}")
        ftp.sendcmd("RETR a")
        transfer, _ = mine.accept()
        assert transfer.recv(4096) == data
        transfer.close()
        ftp.voidresp()
        assert not select.select([victim], [], [], 0)[0], "the victim was connected to"
        for line, code in (
                ("PORT 127,0,0,1,0,25", "504"), ("EPRT |1|127.0.0.1|25|", "504"),
                ("EPRT |2|::1|50000|", "522"), ("HOST a", "502"), ("LPSV", "502"),
                ("AUTH TLS", "502"), ("EPSV ALL", "200"), ("PASV", "503")):
            ftp.putcmd(line)
            assert ftp.getmultiline()[:3] == code, line
        ftp.quit()
        victim.close()
        mine.close()


def small_range():
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(20)]
    ports = sorted(probe.getsockname()[1] for probe in probes)
    first = next((a for a, b in zip(ports, ports[1:]) if b == a + 1), None)
    for probe in probes:
        probe.close()
    if first is None:
        first = 47_310
    with relayed("127.0.0.1", "127.0.0.1", "--ftp-passive-ports", f"{first}-{first + 1}") as adit:
        data = put(adit.folder, "a", 1000)
        clients = [session(adit) for _ in range(5)]
        replies = []
        for client in clients:
            client.putcmd("PASV")
            replies.append(client.getmultiline())
        assert [reply[:3] for reply in replies] == ["227", "227", "425", "425", "425"], replies
        for client, reply in zip(clients[:2], replies):
            port = ftplib.parse227(reply)[1]
            assert first <= port <= first + 1
            transfer = socket.create_connection(("127.0.0.1", port), PATIENCE)
            client.sendcmd("RETR a")
            assert transfer.recv(4096) == data
            transfer.close()
            client.voidresp()
        for _ in range(5):
            for client in clients:
                got = io.BytesIO()
                client.retrbinary("RETR a", got.write)
                assert got.getvalue() == data
        for client in clients:
            client.quit()


def fake(serve, client, *options):
    """A server of our own for one session: `serve` gets its control connection and its lines."""
    listener = socket.create_server(("127.0.0.1", 0))
    failures = []

    def work():
        control, _ = listener.accept()
        control.settimeout(PATIENCE)
        lines = control.makefile("rb")
        try:
            serve(control, lines)
        except BaseException:
            failures.append(traceback.format_exc())
        lines.close()
        control.close()

    thread = threading.Thread(target=work)
    thread.start()
    adit = Adit("127.0.0.1", f"127.0.0.1:{listener.getsockname()[1]}", *options)
    try:
        control = socket.create_connection(("127.0.0.1", adit.port), PATIENCE)
        client(control, control.makefile("rb"))
        control.close()
        thread.join(PATIENCE)
        assert not failures, failures
        return adit.close()
    finally:
        adit.process.kill()
        adit.process.wait()
        listener.close()


def urgent():
    def serve(control, lines):
        control.sendall(b"220 ready\r\n")
        assert lines.readline() == b"NOOP\r\n"
        control.sendall(b"200 ok\r\n")
        poll = select.poll()
        poll.register(control, select.POLLPRI)
        assert poll.poll(PATIENCE * 1000), "no urgent byte came"
        assert control.recv(1, socket.MSG_OOB) == b"\xff"
        assert control.recv(2) == b"\xff\xf4"
        assert lines.readline() == b"\xf2ABOR\r\n"
        control.sendall(b"226 ok\r\n")

    def client(control, lines):
        assert lines.readline() == b"220 ready\r\n"
        control.sendall(b"NOOP\r\n")
        assert lines.readline() == b"200 ok\r\n"
        control.sendall(b"\xff\xf4\xff", socket.MSG_OOB)
        control.sendall(b"\xf2ABOR\r\n")
        assert lines.readline() == b"226 ok\r\n"

    fake(serve, client)


def odd_server():
    """150 and 226 long before the data, no EPSV, an address of somebody else, data to the end."""
    data = os.urandom(5_000_000)

    def serve(control, lines):
        control.sendall(b"120 wait\r\n220-227 (1,2,3,4,5,6)\r\n 220 no\r\n220 ready\r\n")
        assert lines.readline() == b"EPSV\r\n"
        control.sendall(b"500 what\r\n")
        assert lines.readline() == b"PASV\r\n"
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        control.sendall(f"227 =203,0,113,9,{port >> 8},{port & 255}\r\n".encode())
        assert lines.readline() == b"RETR a\r\n"
        assert lines.readline() == b"QUIT\r\n"
        transfer, _ = listener.accept()
        control.sendall(b"150 go\r\n226 done\r\n221 bye\r\n")
        control.shutdown(socket.SHUT_WR)
        transfer.sendall(data)
        transfer.close()
        listener.close()
        assert lines.readline() == b""

    def client(control, lines):
        greeting = [lines.readline() for _ in range(4)]
        assert greeting[-1] == b"220 ready\r\n" and greeting[1] == b"220-227 (1,2,3,4,5,6)\r\n"
        control.sendall(b"EPSV\r\n")
        port = int(re.search(rb"229 .*\(\|\|\|(\d+)\|\)", lines.readline())[1])
        control.sendall(b"RETR a\r\nQUIT\r\n")
        transfer = socket.create_connection(("127.0.0.1", port), PATIENCE)
        for reply in (b"150 go\r\n", b"226 done\r\n", b"221 bye\r\n", b""):
            assert lines.readline() == reply
        control.close()
        got = b""
        while part := transfer.recv(1 << 20):
            got += part
        assert got == data
        transfer.close()

    log = fake(serve, client)
    assert "203.0.113.9" not in log


def nobody_there():
    probe = socket.create_server(("127.0.0.1", 0))
    port = probe.getsockname()[1]
    probe.close()
    adit = Adit("127.0.0.1", f"127.0.0.1:{port}")
    try:
        control = socket.create_connection(("127.0.0.1", adit.port), PATIENCE)
        assert control.makefile("rb").readline().startswith(b"421 ")
        control.close()
        assert "target-unreachable" in adit.close()
    finally:
        adit.process.kill()
        adit.process.wait()


def split():
    """Each byte of a session in a segment of its own, and all of it in one."""
    with relayed() as adit:
        for step in (1, 1000):
            control = socket.create_connection((adit.host, adit.port), PATIENCE)
            control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            lines = control.makefile("rb")
            lines.readline()
            talk = b"user anonymous\r\npass x\r\nTYPE I\nepsv\r\nPASV\r\nQUIT\r\n"
            for start in range(0, len(talk), step):
                control.sendall(talk[start:start + step])
            codes = [lines.readline()[:3] for _ in range(6)]
            assert codes == [b"331", b"230", b"200", b"229", b"227", b"221"], codes
            lines.close()
            control.close()


def slow_transfer():
    """Data keeps the control connection from being idle; without any, the limit ends it."""
    with relayed("127.0.0.1", "127.0.0.1", "--idle", "1s") as adit:
        ftp = session(adit)
        transfer = ftp.transfercmd("STOR a")
        for _ in range(20):
            transfer.sendall(b"x")
            select.select([ftp.sock], [], [], 0.1)
        transfer.close()
        ftp.voidresp()
        assert ftp.size("a") == 20
        ftp.file.close()
        assert expect_reset(ftp.sock) == 0
        ftp.sock.close()


def only_passive():
    """Sessions that set up and never connect hold one listener each, and none afterwards."""
    with relayed("127.0.0.1", "127.0.0.1", "--limits-flows", "100") as adit:
        data = put(adit.folder, "a", 1000)
        clients = [session(adit) for _ in range(60)]
        descriptors = f"/proc/{adit.process.pid}/fd"
        before = len(os.listdir(descriptors))
        replies = []
        for client in clients:
            for _ in range(3):
                client.putcmd("PASV")
                replies.append(client.getmultiline()[:3])
        # 60 control connections leave 40 places.
        assert replies.count("227") == 3 * 40 and replies.count("425") == 3 * 20, replies
        assert len(os.listdir(descriptors)) == before + 40
        for client in clients:
            client.quit()
        last = session(adit)
        got = io.BytesIO()
        last.retrbinary("RETR a", got.write)
        assert got.getvalue() == data
        last.quit()


def secured():
    """With tls = "pass", a session is the two peers' own business after the 234."""
    def serve(control, lines):
        control.sendall(b"220 ready\r\n")
        assert lines.readline() == b"AUTH TLS\r\n"
        control.sendall(b"234 go\r\n")
        assert lines.read(6) == b"PASV\r\n"
        control.sendall(b"227 (1,2,3,4,100,5)\r\n")

    def client(control, lines):
        lines.readline()
        control.sendall(b"AUTH TLS\r\n")
        assert lines.readline() == b"234 go\r\n"
        control.sendall(b"PASV\r\n")
        assert lines.readline() == b"227 (1,2,3,4,100,5)\r\n"

    fake(serve, client, "--ftp-tls", "pass")


globals()[sys.argv[2]]()
