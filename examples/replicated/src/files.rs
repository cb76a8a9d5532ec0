//! Folders of database files: made durable, copied by hard links, replaced atomically, removed when the last user is gone.
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// `error`, with the path that it is about: "No space left on device" alone does not say where.
pub fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|error| at(path, error))
}

/// Names of the files in a folder, sorted. A database's folder has no folders.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| at(folder, error))? {
        found.push(entry?.file_name().to_string_lossy().into_owned());
    }
    found.sort();
    Ok(found)
}

/// All files of a folder and the folder itself are on the disk after it.
pub fn sync_all(folder: &Path) -> io::Result<()> {
    for name in names(folder)? {
        let path = folder.join(name);
        File::open(&path).and_then(|file| file.sync_all()).map_err(|error| at(&path, error))?;
    }
    sync_folder(folder)
}

/// `to` gets the files of the database in `from`: tables, which nobody changes, by hard link, all else as copies.
pub fn link_or_copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to).map_err(|error| at(to, error))?;
    for name in names(from)? {
        if name == "LOCK" {
            continue;
        }
        let (source, target) = (from.join(&name), to.join(&name));
        let linked = name.ends_with(".sst") && fs::hard_link(&source, &target).is_ok();
        if !linked {
            fs::copy(&source, &target).map_err(|error| at(&target, error))?;
        }
    }
    Ok(())
}

/// Replaces a small file as a whole: whoever reads it after a crash sees the old text or the new one.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    let written = File::create(&new).and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(|error| at(&new, error))?;
    fs::rename(&new, path).map_err(|error| at(path, error))?;
    sync_folder(path.parent().expect("a file in a folder"))
}

/// The files of a snapshot. Clones are the same snapshot; the last one removes the folder if it was given up meanwhile, so that a
/// snapshot that is being sent stays although a newer one has replaced it.
#[derive(Clone, Debug)]
pub struct SnapshotFiles(Arc<Folder>);

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    removed: AtomicBool,
}

impl SnapshotFiles {
    pub fn new(path: PathBuf) -> Self {
        Self(Arc::new(Folder { path, removed: AtomicBool::new(false) }))
    }

    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The folder goes when its last user does.
    pub fn give_up(&self) {
        // Relaxed: the count of the Arc orders it before the drop.
        self.0.removed.store(true, Ordering::Relaxed);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if *self.removed.get_mut() {
            // (What stays because of an error is removed when the node starts next.)
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
