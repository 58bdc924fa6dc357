import { Histogram, type Registry } from 'prom-client';

const BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Measures how long callers waited for an answer, by the status of the call in the answer. Seconds, as Prometheus expects. */
export class AnswerMetric {
  private readonly histogram: Histogram<'status'>;
  /** Caches the child of each status: looking it up by labels each time costs more than the observation. */
  private readonly ofStatus = new Map<string, { observe(value: number): void }>();

  constructor(register: Registry) {
    this.histogram = new Histogram({
      name: 'countersign_gateway_answer_seconds',
      help: 'Time from the admission of a call to its answer, by the status answered',
      labelNames: ['status'],
      buckets: BUCKETS_S,
      registers: [register],
    });
  }

  answered(status: string, waited_ms: number): void {
    let known = this.ofStatus.get(status);
    if (!known) {
      known = this.histogram.labels({ status });
      this.ofStatus.set(status, known);
    }
    known.observe(waited_ms / 1000);
  }
}
