// Loads a library, uses a database of it, and unloads it, several times and on several threads, of
// which the last one ends afterwards.
//
//   unloading plugin LIBRARY DIRECTORY    the library has use_database() (unloaded.cc)
//   unloading c LIBRARY DIRECTORY         the library is libcairn.so, used through its C functions
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* library;
static const char* directory;
static int with_c;
static sem_t unused, unloaded;

static void* find(void* handle, const char* name) {
  void* symbol = dlsym(handle, name);
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return symbol;
}

static int use_c(void* handle) {
  void* (*options_create)(void);
  void (*set_create)(void*, unsigned char);
  void (*options_destroy)(void*);
  void* (*open_db)(const void*, const char*, char**);
  void* (*write_options)(void);
  void (*put)(void*, const void*, const char*, size_t, const char*, size_t, char**);
  void (*write_options_destroy)(void*);
  void (*close_db)(void*);
  *(void**)&options_create = find(handle, "rocksdb_options_create");
  *(void**)&set_create = find(handle, "rocksdb_options_set_create_if_missing");
  *(void**)&options_destroy = find(handle, "rocksdb_options_destroy");
  *(void**)&open_db = find(handle, "rocksdb_open");
  *(void**)&write_options = find(handle, "rocksdb_writeoptions_create");
  *(void**)&put = find(handle, "rocksdb_put");
  *(void**)&write_options_destroy = find(handle, "rocksdb_writeoptions_destroy");
  *(void**)&close_db = find(handle, "rocksdb_close");
  char* error = NULL;
  void* options = options_create();
  set_create(options, 1);
  void* db = open_db(options, directory, &error);
  void* writing = write_options();
  for (int i = 0; i < 2000 && error == NULL; i++) {
    char key[16];
    const int n = snprintf(key, sizeof(key), "%d", i);
    put(db, writing, key, (size_t)n, key, (size_t)n, &error);
  }
  if (error != NULL) fprintf(stderr, "%s\n", error);
  write_options_destroy(writing);
  if (db != NULL) close_db(db);
  options_destroy(options);
  return error == NULL ? 0 : 1;
}

static void use_and_unload(void) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  int result;
  if (with_c) {
    result = use_c(handle);
  } else {
    int (*use)(const char*);
    *(void**)&use = find(handle, "use_database");
    result = use(directory);
  }
  if (result != 0) exit(1);
  dlclose(handle);
}

static void* on_thread(void* unused_argument) {
  (void)unused_argument;
  use_and_unload();
  return NULL;
}

// Ends after the library was unloaded for the last time.
static void* until_the_end(void* unused_argument) {
  (void)unused_argument;
  use_and_unload();
  sem_post(&unused);
  sem_wait(&unloaded);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  with_c = strcmp(argv[1], "c") == 0;
  library = argv[2];
  directory = argv[3];
  sem_init(&unused, 0, 0);
  sem_init(&unloaded, 0, 0);
  pthread_t last, thread;
  if (pthread_create(&last, NULL, until_the_end, NULL) != 0) return 1;
  sem_wait(&unused);
  for (int round = 0; round < 3; round++) {
    use_and_unload();
    if (pthread_create(&thread, NULL, on_thread, NULL) != 0) return 1;
    pthread_join(thread, NULL);
  }
  sem_post(&unloaded);
  pthread_join(last, NULL);
  puts("unloaded");
  return 0;
}
