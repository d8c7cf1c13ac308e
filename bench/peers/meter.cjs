'use strict';
// What a load client counts: only moves that are sent and confirmed inside the window. The twin of meter.py.

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const rounded = (value) => Math.round(value * 100) / 100;
const percentile = (ordered, share) =>
  ordered.length ? rounded(ordered[Math.min(ordered.length - 1, Math.floor(share * ordered.length))]) : null;

class Meter {
  // Says when the window opens and closes, so that the runner reads CPU times over the same span.
  constructor({ warmup, window }) {
    this.opens = performance.now() + warmup;
    this.closes = this.opens + window;
    this.window = window;
    this.roundTrips = [];
    this.setups = [];
    this.games = 0;
    this.errors = 0;
    this.peerUpdates = 0;
    this.leaks = 0;
    this.cpu = process.cpuUsage();
    setTimeout(() => console.log('WINDOW open'), warmup);
    setTimeout(() => console.log('WINDOW closed'), warmup + window);
  }

  get over() {
    return performance.now() >= this.closes;
  }

  inside() {
    const now = performance.now();
    return now >= this.opens && now <= this.closes;
  }

  move(sentAt) {
    const now = performance.now();
    if (sentAt >= this.opens && now <= this.closes) this.roundTrips.push(now - sentAt);
  }

  setup(begunAt) {
    this.setups.push(performance.now() - begunAt);
  }

  error(reason) {
    this.errors++;
    if (this.errors < 4) console.error(reason);
  }

  report() {
    const trips = this.roundTrips.sort((a, b) => a - b);
    const setups = this.setups.sort((a, b) => a - b);
    const cpu = process.cpuUsage(this.cpu);
    return 'RESULT ' + JSON.stringify({
      moves: trips.length,
      moves_per_s: rounded(trips.length / (this.window / 1000)),
      p50_ms: percentile(trips, 0.5),
      p90_ms: percentile(trips, 0.9),
      p99_ms: percentile(trips, 0.99),
      max_ms: percentile(trips, 1),
      peer_updates: this.peerUpdates,
      games: this.games,
      setup_p50_ms: percentile(setups, 0.5),
      errors: this.errors,
      secret_leaks: this.leaks,
      client_cpu_s: rounded((cpu.user + cpu.system) / 1e6),
    });
  }
}

// --rooms=20 --warmup=2000 --window=8000 --think=0 --port=8000; what is no number stays text
function options() {
  const found = { rooms: 1, warmup: 2000, window: 8000, think: 0, port: 0 };
  for (const argument of process.argv.slice(2)) {
    const [, name, value] = /^--([\w-]+)=(.*)$/.exec(argument) || [];
    if (name) found[name] = Number.isNaN(Number(value)) ? value : Number(value);
  }
  return found;
}

// A pause before a move: half to one and a half times what was asked for.
const pause = (think) => think * (0.5 + Math.random());

module.exports = { Meter, options, pause, sleep };
