import type { IncomingMessage } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { BodyPace, WINDOW_TICKS } from './body-pace.js';

const PER_S = 1_000;
const pace = new BodyPace(PER_S);
afterEach(() => pace.close());

function receiving(): {
  request: IncomingMessage;
  state: { complete: boolean; destroyed: boolean; socket: { bytesRead: number } };
  cut: string[];
} {
  const state = { complete: false, destroyed: false, socket: { bytesRead: 500, destroyed: false } };
  const cut: string[] = [];
  const request = state as unknown as IncomingMessage;
  pace.watch(request, () => cut.push('cut'));
  return { request, state, cut };
}

const window = (each: (tick: number) => void) => {
  for (let tick = 0; tick < WINDOW_TICKS; tick++) {
    each(tick);
    pace.tick();
  }
};

test('a body that brings too few bytes in a window is cut, once', () => {
  const { state, cut } = receiving();
  window(() => {
    state.socket.bytesRead += PER_S;
  });
  expect(cut).toEqual([]);
  window(() => {
    state.socket.bytesRead += PER_S - 1;
  });
  expect(cut).toEqual(['cut']);
  window(() => undefined);
  expect(cut).toEqual(['cut']);
});

test('a body that stalls is cut in the next window, however much it brought before', () => {
  const { state, cut } = receiving();
  state.socket.bytesRead += 1_000_000;
  window(() => undefined);
  expect(cut).toEqual([]);
  window(() => undefined);
  expect(cut).toEqual(['cut']);
});

test('a small body may arrive byte by byte if it ends within the first window', () => {
  const { state, cut } = receiving();
  window((tick) => {
    state.socket.bytesRead += 1;
    state.complete = tick === WINDOW_TICKS - 1;
  });
  expect([cut, pace.size]).toEqual([[], 0]);
});

test('a closed connection is no longer watched', () => {
  const { state } = receiving();
  state.destroyed = true;
  pace.tick();
  expect(pace.size).toBe(0);
});
