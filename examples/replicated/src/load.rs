//! Clients of the cluster: they load it, write down what they asked and were answered, and at the end look for every write that was
//! acknowledged. Prints a line of JSON each second, and one at the end. Stops after --seconds or when its standard input ends.
//!
//! Two kinds of keys. `u/...` are written once each, and at the end all that were acknowledged must be there. `r/...` are a few registers
//! that all clients read, write, compare and swap; the history of these, one operation a line, is for a checker of linearizability:
//!
//!   client TAB put|get|cas|del TAB key TAB argument TAB result TAB start TAB end       (nanoseconds of one clock)
//!
//! argument: the value; of cas `expected>new`. result: of get the value; ok; differs (cas); unknown: it may or may not have happened,
//! perhaps later. An absent value is `-`. What certainly did not happen is not in it.
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::{Parser, ValueEnum};
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use rand::Rng;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Mix {
    /// Registers and keys that are written once, half and half
    Check,
    /// Keys that are written once
    Write,
    /// Linearizable reads of keys that --mix write has left
    Read,
}

/// Clients of a replicated cluster: load, history, and a look for what was acknowledged.
#[derive(Parser)]
#[command(version)]
struct Flags {
    /// host:port of the nodes, with commas
    #[arg(long, value_delimiter = ',', required = true)]
    nodes: Vec<String>,
    #[arg(long, default_value_t = 8)]
    clients: u64,
    /// 0: until standard input ends
    #[arg(long, default_value_t = 0)]
    seconds: u64,
    #[arg(long, value_enum, default_value_t = Mix::Check)]
    mix: Mix,
    /// Of the values of keys that are written once
    #[arg(long, default_value_t = 100)]
    value_bytes: usize,
    /// Milliseconds that a client waits between operations
    #[arg(long, default_value_t = 0)]
    pause: u64,
    /// Registers at one time
    #[arg(long, default_value_t = 5)]
    registers: u64,
    /// After these seconds other registers are used, so that no register's history becomes too long for a checker
    #[arg(long, default_value_t = 3)]
    registers_for: u64,
    /// Milliseconds until a client gives an operation up
    #[arg(long, default_value_t = 2000)]
    patience: u64,
    /// Where the history of the registers goes
    #[arg(long)]
    history: Option<PathBuf>,
}

enum Answer {
    Done(StatusCode, Bytes),
    /// Nothing happened.
    Refused,
    /// It may have happened.
    Unknown,
}

struct World {
    flags: Flags,
    client: Client<HttpConnector, Full<Bytes>>,
    leader: Mutex<String>,    // the last one that somebody was sent to
    start: Instant,
    stopped: AtomicBool,
    history: Option<Mutex<BufWriter<File>>>,
    acknowledged: Mutex<Vec<String>>,
    registers: Mutex<BTreeSet<String>>,
    done: AtomicU64,
    unknown: AtomicU64,
    micros: Mutex<Vec<u32>>,    // of each operation that was done
}

impl World {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    async fn call(&self, method: &Method, path: &str, body: &str) -> Answer {
        let asked = self.leader.lock().unwrap().clone();
        let request = Request::builder().method(method).uri(format!("http://{asked}{path}")).body(Full::from(body.to_string())).unwrap();
        let answer = tokio::time::timeout(Duration::from_millis(self.flags.patience), async {
            let answer = self.client.request(request).await.map_err(|error| !error.is_connect())?;
            let (head, body) = answer.into_parts();
            Ok::<_, bool>((head, body.collect().await.map_err(|_| true)?.to_bytes()))
        });
        let unknown = match answer.await {
            Ok(Ok((head, body))) => match head.status {
                StatusCode::TEMPORARY_REDIRECT => {
                    let location = head.headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or_default();
                    if let Some(addr) = location.strip_prefix("http://").and_then(|rest| rest.split('/').next()) {
                        *self.leader.lock().unwrap() = addr.to_string();
                        // Two nodes may each take the other for the leader for a moment.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    return Answer::Refused;
                }
                StatusCode::SERVICE_UNAVAILABLE => false,
                StatusCode::GATEWAY_TIMEOUT => true,
                status if status.is_server_error() => true,
                status => return Answer::Done(status, body),
            },
            Ok(Err(sent)) => sent,
            Err(_) => true,
        };
        self.look_elsewhere(&asked);
        tokio::time::sleep(Duration::from_millis(20)).await;
        if unknown { Answer::Unknown } else { Answer::Refused }
    }

    fn look_elsewhere(&self, asked: &str) {
        let mut leader = self.leader.lock().unwrap();
        if *leader == asked {
            *leader = self.flags.nodes[rand::rng().random_range(0..self.flags.nodes.len())].clone();
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn note(&self, client: u64, op: &str, key: &str, argument: &str, result: &str, start: u64, end: u64) {
        if let Some(history) = &self.history {
            let line = format!("{client}\t{op}\t{key}\t{argument}\t{result}\t{start}\t{end}\n");
            history.lock().unwrap().write_all(line.as_bytes()).expect("a place for the history");
        }
    }

    fn count(&self, answer: &Answer, start: u64, end: u64) {
        // Relaxed: only counts.
        match answer {
            Answer::Done(..) => {
                self.done.fetch_add(1, Ordering::Relaxed);
                self.micros.lock().unwrap().push(((end - start) / 1000).min(u32::MAX as u64) as u32);
            }
            Answer::Unknown => {
                self.unknown.fetch_add(1, Ordering::Relaxed);
            }
            Answer::Refused => {}
        }
    }

    async fn write_once(&self, client: u64, number: u64) {
        let key = format!("u/{client:04}/{number:09}");
        let value = format!("{key}{}", "v".repeat(self.flags.value_bytes.saturating_sub(key.len())));
        let start = self.now();
        let answer = self.call(&Method::PUT, &format!("/kv/{key}"), &value).await;
        self.count(&answer, start, self.now());
        if matches!(answer, Answer::Done(StatusCode::NO_CONTENT, _)) {
            self.acknowledged.lock().unwrap().push(key);
        }
    }

    async fn use_register(&self, client: u64, number: u64, seen: &mut BTreeMap<String, String>) {
        let (epoch, which, dice) = {
            let mut rng = rand::rng();
            (self.start.elapsed().as_secs() / self.flags.registers_for.max(1), rng.random_range(0..self.flags.registers), rng.random_range(0..100))
        };
        let key = format!("r/{epoch}/{which}");
        if self.registers.lock().unwrap().insert(key.clone()) {
            seen.clear();    // of earlier registers
        }
        let new = format!("{client}.{number}");
        let expected = seen.get(&key).cloned().unwrap_or("-".into());
        let path = format!("/kv/{key}");
        let (method, op, path, argument) = match dice {
            0..45 => (Method::GET, "get", path, "-".to_string()),
            45..70 => (Method::PUT, "put", path, new.clone()),
            70..95 => {
                let query = if expected == "-" { "absent=true".to_string() } else { format!("expect={expected}") };
                (Method::PUT, "cas", format!("{path}?{query}"), format!("{expected}>{new}"))
            }
            _ => (Method::DELETE, "del", path, "-".to_string()),
        };
        let start = self.now();
        let answer = self.call(&method, &path, if method == Method::PUT { &new } else { "" }).await;
        let end = self.now();
        self.count(&answer, start, end);
        let result = match (&answer, op) {
            (Answer::Done(StatusCode::OK, body), "get") => String::from_utf8_lossy(body).into_owned(),
            (Answer::Done(StatusCode::NOT_FOUND, _), "get") => "-".into(),
            (Answer::Done(StatusCode::NO_CONTENT, _), _) => "ok".into(),
            (Answer::Done(StatusCode::PRECONDITION_FAILED, _), "cas") => "differs".into(),
            (Answer::Unknown, "get") | (Answer::Refused, _) => return,
            (Answer::Unknown, _) => "unknown".into(),
            (Answer::Done(status, body), _) => panic!("{op} {key}: {status} {}", String::from_utf8_lossy(body)),
        };
        match op {
            "get" => seen.insert(key.clone(), result.clone()),
            "put" => seen.insert(key.clone(), new),
            "cas" if result == "ok" => seen.insert(key.clone(), new),
            _ => seen.remove(&key),
        };
        self.note(client, op, &key, &argument, &result, start, end);
    }

    async fn read_one(&self, client: u64, most: u64) {
        let number = rand::rng().random_range(0..most.max(1));
        let start = self.now();
        let answer = self.call(&Method::GET, &format!("/kv/u/{client:04}/{number:09}"), "").await;
        self.count(&answer, start, self.now());
    }

    async fn run_client(self: Arc<Self>, client: u64) {
        let mut seen = BTreeMap::new();
        let mut number = 0;
        while !self.stopped.load(Ordering::Relaxed) {
            match self.flags.mix {
                Mix::Check if number % 2 == 0 => self.use_register(client, number, &mut seen).await,
                Mix::Read => self.read_one(client, 1000).await,
                _ => self.write_once(client, number).await,
            }
            number += 1;
            if self.flags.pause > 0 {
                tokio::time::sleep(Duration::from_millis(self.flags.pause)).await;
            }
        }
    }

    /// Asks until there is an answer.
    async fn insist(&self, path: &str) -> (StatusCode, Bytes) {
        for _ in 0..2000 {
            if let Answer::Done(status, body) = self.call(&Method::GET, path, "").await {
                return (status, body);
            }
        }
        panic!("the cluster does not answer {path}");
    }

    /// The acknowledged keys that are not there.
    async fn lost(&self) -> Vec<String> {
        let mut acknowledged = std::mem::take(&mut *self.acknowledged.lock().unwrap());
        acknowledged.sort();
        let mut there = BTreeSet::new();
        let mut from = "u/".to_string();
        loop {
            let (_, body) = self.insist(&format!("/scan?prefix=u/&limit=5000&from={from}")).await;
            let page: Vec<[String; 2]> = serde_json::from_slice(&body).expect("pairs");
            let Some(last) = page.last() else { break };
            from = format!("{}0", last[0]);
            there.extend(page.into_iter().filter(|[key, value]| value.starts_with(key.as_str())).map(|[key, _]| key));
        }
        acknowledged.into_iter().filter(|key| !there.contains(key)).collect()
    }

    /// The last value of each register is part of its history.
    async fn read_registers(&self) {
        let registers = self.registers.lock().unwrap().clone();
        for key in registers {
            let start = self.now();
            let (status, body) = self.insist(&format!("/kv/{key}")).await;
            let value = if status == StatusCode::OK { String::from_utf8_lossy(&body).into_owned() } else { "-".into() };
            self.note(self.flags.clients, "get", &key, "-", &value, start, self.now());
        }
    }
}

#[tokio::main]
async fn main() {
    let flags = Flags::parse();
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(Duration::from_millis(500)));
    connector.set_nodelay(true);
    // No second try of its own: a request that was sent may have been done.
    let client = Client::builder(TokioExecutor::new()).retry_canceled_requests(false).build(connector);
    let history = flags.history.as_ref().map(|path| Mutex::new(BufWriter::new(File::create(path).expect("a place for the history"))));
    let world = Arc::new(World {
        leader: Mutex::new(flags.nodes[0].clone()),
        client,
        start: Instant::now(),
        stopped: AtomicBool::new(false),
        history,
        acknowledged: Mutex::default(),
        registers: Mutex::default(),
        done: AtomicU64::new(0),
        unknown: AtomicU64::new(0),
        micros: Mutex::default(),
        flags,
    });
    let clients: Vec<_> = (0..world.flags.clients).map(|client| tokio::spawn(world.clone().run_client(client))).collect();
    let of_input = world.clone();
    if world.flags.seconds == 0 {
        std::thread::spawn(move || {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            of_input.stopped.store(true, Ordering::Relaxed);
        });
    }
    let mut before = 0;
    let mut seconds = 0;
    while !world.stopped.load(Ordering::Relaxed) {
        tokio::time::sleep_until((world.start + Duration::from_secs(seconds + 1)).into()).await;
        seconds += 1;
        let done = world.done.load(Ordering::Relaxed);
        println!("{}", serde_json::json!({"second": seconds, "done": done - before, "unknown": world.unknown.load(Ordering::Relaxed)}));
        before = done;
        if world.flags.seconds > 0 && seconds >= world.flags.seconds {
            world.stopped.store(true, Ordering::Relaxed);
        }
    }
    for client in clients {
        client.await.expect("no panic in it");
    }
    let took = world.start.elapsed().as_secs_f64();
    let mut micros = std::mem::take(&mut *world.micros.lock().unwrap());
    micros.sort();
    let at = |part: f64| micros.get(((micros.len() as f64 * part) as usize).min(micros.len().saturating_sub(1))).copied().unwrap_or(0);
    let acknowledged = world.acknowledged.lock().unwrap().len();
    let lost = if world.flags.mix == Mix::Read { Vec::new() } else { world.lost().await };
    world.read_registers().await;
    if let Some(history) = &world.history {
        history.lock().unwrap().flush().expect("a place for the history");
    }
    println!(
        "{}",
        serde_json::json!({
            "done": world.done.load(Ordering::Relaxed), "unknown": world.unknown.load(Ordering::Relaxed), "took": took,
            "median_us": at(0.5), "p99_us": at(0.99), "max_us": at(1.0),
            "acknowledged": acknowledged, "lost": lost.len(), "lost_keys": lost.iter().take(10).collect::<Vec<_>>(),
        })
    );
    if !lost.is_empty() {
        std::process::exit(1);
    }
}
