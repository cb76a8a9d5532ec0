// Backups that are damaged or of another schema: what is told of them, and what still works.
#include "backup_fixture.h"

namespace conformance {
namespace {

class BackupDamageTest : public BackupTest {
 protected:
  // Three backups, each with a table of its own, and the engine closed.
  void MakeThree() {
    Open();
    OpenEngine();
    for (int i = 1; i <= 3; i++) {
      ASSERT_OK(Put(Key(i), "v"));
      ASSERT_OK(engine_->CreateNewBackup(db_, /*flush_before_backup=*/true));
    }
    CloseEngine();
  }
  // The shared table that only the third one has.
  std::string LastTable() const {
    return "shared_checksum/" + *NamesIn("shared_checksum").rbegin();
  }
  void ReplaceInMeta(const std::string& meta, const std::string& from, const std::string& to) {
    std::string text = ReadBackupFile(meta);
    const size_t at = text.find(from);
    ASSERT_NE(std::string::npos, at) << from;
    WriteBackupFile(meta, text.replace(at, from.size(), to));
  }
  // With fields of newer versions.
  static std::string Newer(const std::string& text, const std::string& version,
                           const std::string& fields, const std::string& file_fields,
                           const std::string& footer) {
    std::string newer = "schema_version " + version + "\n";
    std::vector<std::string> lines = Lines(text);
    for (size_t i = 0; i < lines.size(); i++) {
      if (i == 2) newer += fields;
      newer += lines[i] + (i > 2 ? file_fields : "") + "\n";
    }
    return newer + footer;
  }
  void ExpectCorrupt(BackupID id) {
    EXPECT_EQ(std::vector<BackupID>{id}, Corrupted());
    BackupInfo info;
    EXPECT_CODE(Corruption, engine_->GetBackupInfo(id, &info));
    EXPECT_FALSE(engine_->VerifyBackup(id).ok());
    EXPECT_FALSE(engine_->RestoreDBFromBackup(id, restored_, restored_).ok());
    std::vector<BackupInfo> infos;
    engine_->GetBackupInfo(&infos);
    EXPECT_EQ(2u, infos.size());
  }
};

TEST_F(BackupDamageTest, VerifyingTellsWhatIsMissing) {
  MakeThree();
  OpenEngine();
  for (BackupID id = 1; id <= 3; id++) ASSERT_OK(engine_->VerifyBackup(id));
  ASSERT_OK(TheEnv()->DeleteFile(Path(LastTable())));
  EXPECT_CODE(NotFound, engine_->VerifyBackup(3));
  ASSERT_OK(engine_->VerifyBackup(2, true));
  EXPECT_FALSE(engine_->RestoreDBFromBackup(3, restored_, restored_).ok());
}

TEST_F(BackupDamageTest, VerifyingTellsOfWrongSizes) {
  MakeThree();
  OpenEngine();
  std::string bytes = ReadBackupFile("private/2/CURRENT");
  WriteBackupFile("private/2/CURRENT", bytes + "x");
  EXPECT_CODE(Corruption, engine_->VerifyBackup(2));
  ASSERT_OK(engine_->VerifyBackup(3));
}

TEST_F(BackupDamageTest, WrongBytesAreFoundByTheirChecksum) {
  MakeThree();
  std::string bytes = ReadBackupFile(LastTable());
  bytes[bytes.size() / 2] ^= 1;
  WriteBackupFile(LastTable(), bytes);
  OpenEngine();
  EXPECT_TRUE(Corrupted().empty());
  ASSERT_OK(engine_->VerifyBackup(3));
  EXPECT_CODE(Corruption, engine_->VerifyBackup(3, true));
  EXPECT_CODE(Corruption, engine_->RestoreDBFromBackup(3, restored_, restored_));
  options_.create_if_missing = false;
  DB* db = nullptr;
  EXPECT_FALSE(DB::Open(options_, restored_, &db).ok()) << "it is no database";
  ASSERT_OK(engine_->VerifyBackup(2, true));
}

TEST_F(BackupDamageTest, ADamagedMetaFileIsOneCorruptBackup) {
  const std::vector<std::pair<std::string, std::string>> damages = {
      {" crc32 ", " crc64 "}, {" crc32 ", " "},          {" crc32 ", " crc32 9"},
      {"\n4\n", "\n5\n"},     {"\n4\n", "\nnonsense\n"}, {"\nprivate/3/", "\nprivate/3/x"},
  };
  MakeThree();
  const std::string text = ReadBackupFile("meta/3");
  ASSERT_NE(std::string::npos, text.find("\n6\n"));
  for (auto [from, to] : damages) {
    SCOPED_TRACE(from + " -> " + to);
    if (from == "\n4\n") from = "\n6\n";
    ReplaceInMeta("meta/3", from, to);
    OpenEngine();
    if (to == " crc32 9") {
      // A checksum that no bytes have is still one, unless it is too large.
      EXPECT_FALSE(engine_->VerifyBackup(3, true).ok());
    } else {
      ExpectCorrupt(3);
    }
    ASSERT_OK(engine_->VerifyBackup(2, true));
    CloseEngine();
    WriteBackupFile("meta/3", text);
  }
  WriteBackupFile("meta/3", "");
  OpenEngine();
  ExpectCorrupt(3);
}

TEST_F(BackupDamageTest, MissingFilesMakeABackupCorrupt) {
  MakeThree();
  ASSERT_OK(TheEnv()->DeleteFile(Path(LastTable())));
  OpenEngine();
  ExpectCorrupt(3);
  BackupInfo info;
  ASSERT_OK(engine_->GetLatestBackupInfo(&info));
  EXPECT_EQ(2u, info.backup_id);
  ASSERT_OK(engine_->RestoreDBFromLatestBackup(restored_, restored_));
  EXPECT_EQ(Key(1) + "=v," + Key(2) + "=v", ContentsOf(restored_));
  // The next one is another one, and whole.
  BackupID id = 0;
  ASSERT_OK(engine_->CreateNewBackup(CreateBackupOptions(), db_, &id));
  EXPECT_EQ(4u, id);
  EXPECT_EQ(Contents(), RestoredContents(4));
  ASSERT_OK(engine_->DeleteBackup(3));
  EXPECT_TRUE(Corrupted().empty());
  EXPECT_EQ((Names{"1", "2", "4"}), NamesIn("meta"));
  EXPECT_EQ((Names{"1", "2", "4"}), NamesIn("private"));
}

TEST_F(BackupDamageTest, NewerSchemasAreReadIfTheyAllowIt) {
  MakeThree();
  const std::string text = ReadBackupFile("meta/2");
  for (const char* version : {"2", "2.0", "2.17", "2.5beta"}) {
    SCOPED_TRACE(version);
    WriteBackupFile("meta/2", Newer(text, version, "color blue\nmetadata 4142\nshape round hole\n",
                                    " smell roses temp kHot", "// FOOTER\nend of it all\n"));
    OpenEngine();
    EXPECT_TRUE(Corrupted().empty());
    BackupInfo info;
    ASSERT_OK(engine_->GetBackupInfo(2, &info));
    EXPECT_EQ("AB", info.app_metadata);
    EXPECT_EQ(Key(1) + "=v," + Key(2) + "=v", RestoredContents(2));
  }
}

TEST_F(BackupDamageTest, NewerSchemasAreRefusedIfTheyMustBe) {
  MakeThree();
  const std::string text = ReadBackupFile("meta/2");
  const std::vector<std::string> refused = {
      Newer(text, "3", "", "", ""),
      Newer(text, "1", "", "", ""),
      Newer(text, "20.0", "", "", ""),
      Newer(text, "2.0", "ni::color blue\n", "", ""),
      Newer(text, "2.0", "", " ni::smell roses", ""),
      Newer(text, "2.0", "", "", "// FOOTER\nni::end near\n"),
  };
  for (const std::string& meta : refused) {
    SCOPED_TRACE(meta);
    WriteBackupFile("meta/2", meta);
    OpenEngine();
    ExpectCorrupt(2);
    EXPECT_CODE(NotSupported, engine_->VerifyBackup(2));
    EXPECT_CODE(NotSupported, engine_->RestoreDBFromBackup(2, restored_, restored_));
    EXPECT_EQ(meta, ReadBackupFile("meta/2"));
  }
}

TEST_F(BackupDamageTest, NewerSchemasThatMakeNoSenseAreCorrupt) {
  MakeThree();
  const std::string text = ReadBackupFile("meta/2");
  const std::vector<std::string> senseless = {
      Newer(text, "2.0", "color\n", "", ""),         Newer(text, "2.0", "", " smell", ""),
      Newer(text, "2.0", "", " size 1", ""),         Newer(text, "2.0", "", "", "// FOOTER\nend\n"),
      Newer(text, "2.0", "", "", "end of it all\n"),
  };
  for (const std::string& meta : senseless) {
    SCOPED_TRACE(meta);
    WriteBackupFile("meta/2", meta);
    OpenEngine();
    ExpectCorrupt(2);
    EXPECT_CODE(Corruption, engine_->VerifyBackup(2));
  }
}

TEST_F(BackupDamageTest, AFileInMetaThatIsNoBackupIsNone) {
  MakeThree();
  for (const char* name : {"meta/0", "meta/04", "meta/4x", "meta/x", "meta/.5.tmp"}) {
    WriteBackupFile(name, "nonsense");
  }
  OpenEngine();
  EXPECT_TRUE(Corrupted().empty());
  std::vector<BackupInfo> infos;
  engine_->GetBackupInfo(&infos);
  EXPECT_EQ(3u, infos.size());
  BackupID id = 0;
  ASSERT_OK(engine_->CreateNewBackup(CreateBackupOptions(), db_, &id));
  EXPECT_EQ(4u, id);
}

TEST_F(BackupDamageTest, AReaderLooksAtTheLatestGoodOnes) {
  MakeThree();
  WriteBackupFile("meta/3", "nonsense\n");
  backup_options_.max_valid_backups_to_open = 1;
  BackupEngineReadOnly* made = nullptr;
  ASSERT_OK(BackupEngineReadOnly::Open(backup_options_, TheEnv(), &made));
  std::unique_ptr<BackupEngineReadOnly> reader(made);
  std::vector<BackupInfo> infos;
  reader->GetBackupInfo(&infos);
  ASSERT_EQ(1u, infos.size());
  EXPECT_EQ(2u, infos[0].backup_id);
  std::vector<BackupID> corrupt;
  reader->GetCorruptedBackups(&corrupt);
  EXPECT_EQ(std::vector<BackupID>{3}, corrupt);
  ASSERT_OK(reader->VerifyBackup(2, true));
  ASSERT_OK(reader->RestoreDBFromLatestBackup(restored_, restored_));
  EXPECT_EQ(Key(1) + "=v," + Key(2) + "=v", ContentsOf(restored_));
}

TEST_F(BackupDamageTest, AReaderChangesNothing) {
  BackupEngineReadOnly* made = nullptr;
  EXPECT_CODE(NotFound, BackupEngineReadOnly::Open(backup_options_, TheEnv(), &made));
  EXPECT_EQ(nullptr, made);
  EXPECT_CODE(NotFound, TheEnv()->FileExists(backups_));
  MakeThree();
  WriteBackupFile("shared_checksum/000099_1_1.sst", "x");
  backup_options_.destroy_old_data = true;
  EXPECT_CODE(InvalidArgument, BackupEngineReadOnly::Open(backup_options_, TheEnv(), &made));
  backup_options_.destroy_old_data = false;
  ASSERT_OK(BackupEngineReadOnly::Open(backup_options_, TheEnv(), &made));
  delete made;
  EXPECT_EQ(4u, NamesIn("shared_checksum").size());
}

}  // namespace
}  // namespace conformance
