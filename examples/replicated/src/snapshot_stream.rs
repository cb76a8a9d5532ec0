//! A snapshot on its way: the leader's vote and the snapshot's metadata, then each file with its name and size, then how many there were.
//! Packed and unpacked on threads that may block; channels join them to the bodies of HTTP. Whoever stalls is given up after STALL.
//!
//!   u32 length, postcard((vote, meta)); { u16 length, name; u64 size; bytes }...; u16 0; u64 number of files       (little-endian)
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::die_at;
use crate::files;
use crate::types::{SnapshotMeta, Vote};

pub const STALL: Duration = Duration::from_secs(10);
const PIECE: usize = 256 << 10;
const LONGEST_HEAD: u32 = 1 << 20;

fn bad(words: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a snapshot that is received: {words}"))
}

/// Writes into a channel, in pieces.
pub struct PieceWriter {
    runtime: Handle,
    to: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl PieceWriter {
    pub fn new(runtime: Handle, to: mpsc::Sender<io::Result<Bytes>>) -> Self {
        Self { runtime, to, piece: Vec::with_capacity(PIECE) }
    }
}

impl Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = Bytes::from(std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE)));
        match self.runtime.block_on(tokio::time::timeout(STALL, self.to.send(Ok(piece)))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the receiver of a snapshot is gone")),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the receiver of a snapshot takes nothing")),
        }
    }
}

/// Reads from a channel what the network has put there.
pub struct PieceReader {
    runtime: Handle,
    from: mpsc::Receiver<io::Result<Bytes>>,
    piece: Bytes,
}

impl PieceReader {
    pub fn new(runtime: Handle, from: mpsc::Receiver<io::Result<Bytes>>) -> Self {
        Self { runtime, from, piece: Bytes::new() }
    }
}

impl Read for PieceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.runtime.block_on(tokio::time::timeout(STALL, self.from.recv())) {
                Ok(Some(piece)) => self.piece = piece?,
                Ok(None) => return Ok(0),
                Err(_) => return Err(io::Error::new(io::ErrorKind::TimedOut, "the sender of a snapshot sends nothing")),
            }
        }
        let count = buffer.len().min(self.piece.len());
        buffer[..count].copy_from_slice(&self.piece.split_to(count));
        Ok(count)
    }
}

pub fn pack(vote: &Vote, meta: &SnapshotMeta, folder: &Path, to: &mut impl Write) -> io::Result<()> {
    let head = postcard::to_stdvec(&(vote, meta)).map_err(io::Error::other)?;
    to.write_all(&(head.len() as u32).to_le_bytes())?;
    to.write_all(&head)?;
    let mut count = 0u64;
    for name in files::names(folder)? {
        let path = folder.join(&name);
        let mut file = File::open(&path).map_err(|error| files::at(&path, error))?;
        let size = file.metadata()?.len();
        to.write_all(&(name.len() as u16).to_le_bytes())?;
        to.write_all(name.as_bytes())?;
        to.write_all(&size.to_le_bytes())?;
        if io::copy(&mut file, to)? != size {
            return Err(bad("its file has changed"));
        }
        count += 1;
    }
    to.write_all(&0u16.to_le_bytes())?;
    to.write_all(&count.to_le_bytes())?;
    to.flush()
}

fn number<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The head of a stream; the files follow.
pub fn unpack_head(from: &mut impl Read) -> io::Result<(Vote, SnapshotMeta)> {
    let length = u32::from_le_bytes(number(from)?);
    if length > LONGEST_HEAD {
        return Err(bad("its head is too long"));
    }
    let mut head = vec![0; length as usize];
    from.read_exact(&mut head)?;
    postcard::from_bytes(&head).map_err(|_| bad("its head does not read"))
}

/// Puts the files into `folder`. They are synced when they are installed.
pub fn unpack_files(from: &mut impl Read, folder: &Path) -> io::Result<()> {
    let mut count = 0u64;
    loop {
        let length = u16::from_le_bytes(number(from)?);
        if length == 0 {
            break;
        }
        let mut name = vec![0; length as usize];
        from.read_exact(&mut name)?;
        let name = String::from_utf8(name).map_err(|_| bad("a name that is no text"))?;
        if name.contains(['/', '\0']) || name == "." || name == ".." {
            return Err(bad("a name that leads out of its folder"));
        }
        let size = u64::from_le_bytes(number(from)?);
        let path = folder.join(&name);
        let mut file = File::create(&path).map_err(|error| files::at(&path, error))?;
        let copied = io::copy(&mut from.by_ref().take(size), &mut file).map_err(|error| files::at(&path, error))?;
        if copied != size {
            return Err(bad("it ends within a file"));
        }
        count += 1;
        if count == 1 {
            die_at::step("receive-first-file");
        }
    }
    if u64::from_le_bytes(number(from)?) != count {
        return Err(bad("files are missing"));
    }
    die_at::step("receive-all");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(folder: &Path) -> Vec<u8> {
        std::fs::write(folder.join("a"), b"one").unwrap();
        std::fs::write(folder.join("b"), vec![7; 3 * PIECE]).unwrap();
        let mut stream = Vec::new();
        pack(&Vote::new(3, 1), &SnapshotMeta::default(), folder, &mut stream).unwrap();
        stream
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let stream = packed(from.path());
        let mut reader = &stream[..];
        assert_eq!(unpack_head(&mut reader).unwrap().0, Vote::new(3, 1));
        unpack_files(&mut reader, to.path()).unwrap();
        assert_eq!(std::fs::read(to.path().join("a")).unwrap(), b"one");
        assert_eq!(std::fs::read(to.path().join("b")).unwrap(), vec![7; 3 * PIECE]);
    }

    #[test]
    fn a_stream_that_ends_early_is_an_error_wherever_it_ends() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let stream = packed(from.path());
        for end in (0..stream.len()).step_by(4099).chain(stream.len() - 12..stream.len()) {
            let mut reader = &stream[..end];
            assert!(unpack_head(&mut reader).and_then(|_| unpack_files(&mut reader, to.path())).is_err(), "{end}");
        }
    }

    #[test]
    fn a_name_that_leads_out_is_refused() {
        let to = tempfile::tempdir().unwrap();
        let mut stream = 4u16.to_le_bytes().to_vec();
        stream.extend_from_slice(b"../x");
        stream.extend_from_slice(&0u64.to_le_bytes());
        assert!(unpack_files(&mut &stream[..], to.path()).unwrap_err().to_string().contains("leads out"));
    }
}
