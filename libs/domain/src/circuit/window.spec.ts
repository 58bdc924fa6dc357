import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideCircuit } from './decide.js';
import { CIRCUIT_DEFAULTS } from './settings.js';
import type { Circuit } from './state.js';
import { inWindow, mergedSlots, slotAt, totalOf } from './window.js';

const { window_ms, slot_ms, outcomes_min, failure_ratio } = CIRCUIT_DEFAULTS;
const NOW_MS = 10_000_000;
const outcome = fc.record({ at_ms: fc.integer({ min: NOW_MS - 3 * window_ms, max: NOW_MS }), failed: fc.boolean() });
const counted = ({ at_ms, failed }: { at_ms: number; failed: boolean }) => ({
  slot: slotAt(at_ms, CIRCUIT_DEFAULTS),
  succeeded: failed ? 0 : 1,
  failed: failed ? 1 : 0,
});

test('the window holds every outcome of the last minute less one slot, none that is older, and at most ten slots', () => {
  fc.assert(
    fc.property(fc.array(outcome), (outcomes) => {
      const slots = inWindow(mergedSlots([], outcomes.map(counted)), NOW_MS, CIRCUIT_DEFAULTS);
      const since = (ms: number) => outcomes.filter(({ at_ms }) => at_ms > NOW_MS - ms).length;
      expect(totalOf(slots).outcomes).toBeGreaterThanOrEqual(since(window_ms - slot_ms));
      expect(totalOf(slots).outcomes).toBeLessThanOrEqual(since(window_ms));
      expect(slots.length).toBeLessThanOrEqual(window_ms / slot_ms);
    }),
  );
});

test('however outcomes of a minute are divided into reports, the circuit opens exactly when their ratio says so', () => {
  const within = fc.record({ at_ms: fc.integer({ min: NOW_MS - window_ms + slot_ms, max: NOW_MS }), failed: fc.boolean() });
  fc.assert(
    fc.property(fc.array(within, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (outcomes, reports) => {
      const sorted = [...outcomes].sort((a, b) => a.at_ms - b.at_ms);
      let circuit: Circuit | undefined;
      let slots: ReturnType<typeof counted>[] = [];
      let opened = false;
      for (let report = 0; report < reports; report++) {
        const part = sorted.filter((_, at) => Math.floor((at * reports) / sorted.length) === report);
        slots = mergedSlots(slots, part.map(counted));
        const now_ms = part.at(-1)?.at_ms ?? NOW_MS - window_ms + slot_ms;
        // A window without failures is not kept, so the executor reports its own successes with the first failure.
        const given = circuit ? part.map(counted) : slots;
        const decision = decideCircuit(circuit, given, now_ms, { ...CIRCUIT_DEFAULTS, confirm_ms: 0 });
        const { outcomes: all, failed } = totalOf(inWindow(slots, now_ms, CIRCUIT_DEFAULTS));
        expect(decision.transition === 'opened').toBe(all >= outcomes_min && failed / all >= failure_ratio);
        circuit = decision.circuit;
        opened = decision.transition === 'opened';
        if (opened) return;
      }
    }),
  );
});
