import type { BundleReport } from '@countersign/evidence';
import { inert, timeText as time } from '../text/inert.js';
import { openingLines } from '../text/openings-text.js';
import type { TimestampVerdict } from './bundle-timestamp.js';
import type { SinceVerdict } from './since.js';

/** Printed below a bundle without a whole case. */
const INCOMPLETE = [
  'a bundle alone does not prove that nothing came later: later records, or calls of the case, may be missing.',
  'Compare it with GET /v1/audit/export of the same period, or with a later bundle (docs/how-to/auditors.md).',
];

/** Whether records before those in the bundle may be missing. */
function ancestors({ causes: { proven, unproven } }: BundleReport): string[] {
  const shown = `causes: ${proven} records name the hash of the record that caused them, which is in the bundle; each comes after its cause`;
  if (unproven === 0) return [shown];
  return [
    ...(proven > 0 ? [shown] : []),
    `completeness is not proven: ${unproven} records name no hash of their cause, as records of earlier releases; records before them may be missing`,
  ];
}

function withoutEnd({ open }: BundleReport): string[] {
  return open.map((call_id) => inert(`not proven: call ${call_id} has no end in the bundle; a later record may have been left out`));
}

function calls({ calls }: BundleReport): string[] {
  return calls.flatMap(({ call_id, tool, status, rulings, viewed, votes }) => [
    `call ${inert(call_id)}: ${inert(tool ?? 'unknown tool')} ${inert(status)}`,
    ...rulings.map(({ revision, effect, rule, bundle_version }) =>
      inert(`  ruling ${revision}: ${effect} by rule ${rule} of policy ${bundle_version}`),
    ),
    ...viewed.map(({ by, at_ms }) => inert(`  shown to ${by} at ${time(at_ms)}`)),
    ...votes.map(({ by, vote, at_ms }) => inert(`  ${vote} by ${by} at ${time(at_ms)}`)),
  ]);
}

const CHECKED = {
  heads: 'it had checked every entry and every changed tree, so it would have noticed a rewritten record',
  entries: 'it had checked which entries were published, but not that the trees only grew',
} as const;

function witnesses({ cosigned }: BundleReport): string[] {
  return cosigned.map(({ name, checks, time_s }) => inert(`cosigned by ${name} at ${time(time_s * 1000)}: ${CHECKED[checks]}`));
}

function timestamps(verdict: TimestampVerdict): string[] {
  switch (verdict.kind) {
    case 'stamped':
      return [
        inert(`timestamped by ${verdict.authority} at ${time(verdict.time_ms)}: the checkpoint, and all records in it, existed by then`),
      ];
    case 'not_checked':
      return ['not proven: the timestamp in the bundle was not checked (--tsa <certificate of its authority>).'];
    default:
      return [];
  }
}

function since(verdict: SinceVerdict | undefined): string[] {
  switch (verdict?.kind) {
    case 'same':
      return ['since: the checkpoint is the same as in the earlier file'];
    case 'continued':
      return [
        `since checkpoint ${verdict.from}: ${verdict.entries} entries checked in order, ${verdict.moves} changes of trees, all of which only grew${
          verdict.openings.length > 0 ? `, except ${verdict.openings.length} that a decision on the log froze and reopened:` : ''
        }`,
        ...verdict.openings.flatMap(openingLines),
        ...verdict.replaced.map((place) => inert(`  record ${place} differs from the one in the earlier bundle`)),
      ];
    default:
      return [];
  }
}

/** Records in a tree that an operator opened in place of a frozen one. */
function generations({ generations }: BundleReport): string[] {
  return generations.map(({ tree, records, generation: { base_offset, decision } }) =>
    inert(
      `${records} of them are in ${tree}, which decision ${decision} started at offset ${base_offset}; this does not prove which records were there before`,
    ),
  );
}

/** Claims that only the holder of the log's key confirms. */
function unwitnessed({ cosigned }: BundleReport, verdict: SinceVerdict | undefined): string[] {
  if (cosigned.some(({ checks }) => checks === 'heads')) return [];
  const what =
    'the holder of the key could have rewritten records and signed again: no trusted witness that checks heads has cosigned this checkpoint';
  return verdict?.kind === 'continued'
    ? [`not proven: ${what} (this run checked the entries since checkpoint ${verdict.from}).`]
    : [`not proven: ${what}.`];
}

/** What the leaf of the case proves, and what it does not. */
function completeness({ case: of }: BundleReport): string[] {
  if (!of) return ['not proven: that the bundle is complete. It has no leaf of a case:', ...INCOMPLETE];
  const { case_id, cut, entry, outside, uncounted, begun_by } = of;
  const upTo = `up to cut ${cut} (checkpoint ${entry + 1})`;
  if (outside > 0)
    return [
      inert(`the leaf of case ${case_id} counts ${of.records} records ${upTo}; ${outside} of them are not in this bundle.`),
      ...INCOMPLETE,
    ];
  return [
    inert(`complete ${upTo}: case ${case_id} had ${of.records} records, and all of them are in the bundle`),
    ...(begun_by === undefined
      ? []
      : [inert(`the tree of cases was damaged and began again by decision ${begun_by}: records that the case had before are not counted`)]),
    ...(uncounted > 0
      ? [`${uncounted} more records of calls in the bundle are not counted there: they came later, or before the tree of cases began`]
      : []),
    `not proven: what came later than cut ${cut}, and what the owner of the log and its signer left out from the start. \`countersign monitor\` looks for the latter (docs/how-to/auditors.md).`,
  ];
}

/** The report lines of a valid bundle. */
export function report(found: BundleReport, verdict: SinceVerdict | undefined, timestamp: TimestampVerdict): string[] {
  const { records, checkpoint_size, checkpoint_time_ms } = found;
  return [
    ...calls(found),
    `verified: ${records} records, each at its offset under checkpoint ${checkpoint_size} of ${time(checkpoint_time_ms)}`,
    ...ancestors(found),
    ...generations(found),
    ...witnesses(found),
    ...timestamps(timestamp),
    ...since(verdict),
    ...unwitnessed(found, verdict),
    ...withoutEnd(found),
    ...completeness(found),
  ];
}
