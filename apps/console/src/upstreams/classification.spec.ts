import { describe, expect, test } from 'vitest';
import { allChosen, byEffect, changed, chosenOf, chosenRequest, untouched } from './bulk-choices.js';
import { type Classification, classificationFields, classificationOf } from './classification.js';
import type { Definition, UpstreamTool } from './upstream.js';

const digest = (letter: string) => letter.repeat(64);
const definition = (letter: string): Definition => ({
  digest: digest(letter),
  title: '',
  description: 'Words.',
  input_schema: { type: 'object', properties: { path: {}, note: {} } },
  output_schema: {},
  annotations: {},
  flags: [],
});
const tool = (more: Partial<UpstreamTool> = {}): UpstreamTool => ({
  tool: 'add_note',
  name: 'notes__add_note',
  version: '0.1.0',
  state: 'unclassified',
  why: null,
  is_classified: false,
  effect_class: 'commit_high',
  alias: null,
  flags: [],
  digest: digest('a'),
  etag: '"u1"',
  listed_digest: null,
  pinned: definition('a'),
  listed: null,
  differences: [],
  overlay: { effect_class: 'commit_high' },
  suggestion: { effect_class: 'commit_low' },
  ...more,
});

const declared = {
  effect_class: 'commit_low',
  discriminating: ['path'],
  window_ms: 5_000,
  markings: ['internal'],
  reconcile: { tool: 'find', inputs: { path: { from: '/inputs/path' } }, matches: 'output == inputs.path', is_complete: true },
  settle_ms: 1_500,
  settle_is_final: true,
  compensation: { tool: 'drop', inputs: { id: { from: '/output/id' } } },
  undo_within_ms: 60_000,
} satisfies Partial<Classification>;
const classified = tool({ is_classified: true, state: 'active', effect_class: 'commit_low', overlay: declared });

describe('the form of one tool', () => {
  test('is filled in from the hints where no operator classified it', () => {
    expect(classificationFields(tool(), 'pinned')).toMatchObject({ effect_class: 'commit_low', discriminating: [], reconcile_tool: '' });
  });

  test('sends what was declared as it was, with what the form does not show', () => {
    expect(classificationOf(classified, classificationFields(classified, 'pinned'))).toEqual({
      ...declared,
      tool: 'add_note',
      digest: digest('a'),
      etag: '"u1"',
    });
  });

  test('of a read sends nothing that belongs to a write, and of a write no alias', () => {
    const form = { ...classificationFields(classified, 'pinned'), alias_s: '60' };
    const read = classificationOf(classified, { ...form, effect_class: 'read_external' });
    expect(Object.keys(read).sort()).toEqual(['alias', 'digest', 'effect_class', 'etag', 'markings', 'tool', 'window_ms']);
    expect(read.alias).toEqual({ ttl_ms: 60_000 });
    expect(classificationOf(classified, form)).not.toHaveProperty('alias');
  });

  test('pins what the person chose to show to agents, and refuses the other definition', () => {
    const pending = { ...classified, state: 'pending_change' as const, listed: definition('b') };
    const accepted = classificationOf(pending, classificationFields(pending, 'listed'));
    const refused = classificationOf(pending, classificationFields(pending, 'pinned'));
    expect([accepted.digest, accepted.refused_digest]).toEqual([digest('b'), undefined]);
    expect([refused.digest, refused.refused_digest]).toEqual([digest('a'), digest('b')]);
    const settled = { ...classified, overlay: { ...declared, refused_digest: digest('b') } };
    expect(classificationOf(settled, classificationFields(settled, 'pinned'))).not.toHaveProperty('refused_digest');
  });
});

describe('the form of many tools', () => {
  const second = tool({ tool: 'find', suggestion: { effect_class: 'read_internal' } });
  const all = [tool(), second];

  test('is filled in, and sends nothing that no person has chosen', () => {
    expect(untouched(second)).toEqual({ is_chosen: false, etag: '"u1"', effect_class: 'read_internal', discriminating: [] });
    expect(chosenRequest(new Map(), all)).toEqual([]);
  });

  test('a person who changes a row has chosen it, and may take it back', () => {
    const one = changed(new Map(), second, { effect_class: 'commit_high' });
    expect(chosenRequest(one, all)).toEqual([{ tool: 'find', digest: digest('a'), etag: '"u1"', effect_class: 'commit_high' }]);
    expect(chosenOf(changed(one, second, { is_chosen: false }), all)).toEqual([]);
  });

  test('all that are shown are chosen as the rows have them, and listed by the order of risk', () => {
    expect(byEffect(allChosen(new Map(), all, true), all)).toEqual([
      { effect_class: 'read_internal', names: ['find'] },
      { effect_class: 'commit_low', names: ['add_note'] },
    ]);
    expect(chosenOf(allChosen(allChosen(new Map(), all, true), all, false), all)).toEqual([]);
  });

  test('tools in which the scan found something are not chosen together with others', () => {
    const flagged = tool({ tool: 'poisoned', flags: ['instructions'] });
    expect(chosenOf(allChosen(new Map(), [...all, flagged], true), [...all, flagged])).toEqual(all);
    expect(chosenOf(changed(new Map(), flagged, {}), [flagged])).toEqual([flagged]);
  });

  test('a choice is about the tool that the person looked at, and not about one that changed since', () => {
    const chosen = allChosen(new Map(), all, true);
    expect(chosenRequest(chosen, [tool({ etag: '"u2"' }), second]).map((one) => one.tool)).toEqual(['find']);
  });

  test('a tool that is no longer listed for the form is not sent', () => {
    expect(chosenRequest(allChosen(new Map(), all, true), [second])).toHaveLength(1);
  });
});
