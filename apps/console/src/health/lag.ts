/** Records on the log that the views do not include yet, by topic. */
export interface TopicLag {
  topic: string;
  records: number;
  /** Partitions whose log did not answer. */
  unknown: number;
}

const LINE = /^countersign_projector_lag_records\{([^}]*)\} (\S+)$/gm;
const TOPIC = /topic="([^"]*)"/;

/** The lag of the views from metrics in the Prometheus text format, the largest first; undefined where they do not contain it. */
export function lagOf(metrics: string): TopicLag[] | undefined {
  const topics = new Map<string, TopicLag>();
  for (const [, labels, value] of metrics.matchAll(LINE)) {
    const topic = TOPIC.exec(labels as string)?.[1];
    if (topic === undefined) continue;
    const lag = topics.get(topic) ?? { topic, records: 0, unknown: 0 };
    const records = Number(value);
    topics.set(topic, Number.isFinite(records) ? { ...lag, records: lag.records + records } : { ...lag, unknown: lag.unknown + 1 });
  }
  if (topics.size === 0) return undefined;
  return [...topics.values()].sort((a, b) => b.records - a.records || a.topic.localeCompare(b.topic));
}

/** The lag in one sentence. */
export function lagText(lag: readonly TopicLag[]): string {
  const records = lag.reduce((sum, topic) => sum + topic.records, 0);
  const unknown = lag.reduce((sum, topic) => sum + topic.unknown, 0);
  const asked = unknown > 0 ? ` The log did not answer for ${unknown} ${unknown === 1 ? 'partition' : 'partitions'}.` : '';
  if (records === 0) return unknown > 0 ? asked.trim() : 'The views contain all records of the log.';
  const behind = lag.filter((topic) => topic.records > 0);
  const named = behind.slice(0, 3).map(({ topic, records: count }) => `${topic} ${count.toLocaleString('en')}`);
  const others = behind.length > 3 ? ` and ${behind.length - 3} more topics` : '';
  return `The views are ${records.toLocaleString('en')} ${records === 1 ? 'record' : 'records'} behind: ${named.join(', ')}${others}.${asked}`;
}
