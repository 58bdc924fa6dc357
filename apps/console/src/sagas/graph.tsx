import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Box, type Edge, type Graph as GraphLayout } from './layout.js';
import type { StepState } from './step-states.js';
import './graph.css';

interface GraphProps {
  layout: GraphLayout;
  /** The state of each step that has begun, by name. */
  states: ReadonlyMap<string, StepState>;
  /** The state of the others. */
  rest: StepState;
  /** The name of the selected step. */
  selected: string;
  onSelect: (name: string) => void;
}

const isStep = ({ kind }: Box): boolean => kind === 'step' || kind === 'wait';
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** The graph of a saga with its live state. Arrow keys move between its steps, Enter selects one; the table of steps says the same. */
export function Graph({ layout, states, rest, selected, onSelect }: GraphProps) {
  const ground = useRef<HTMLDivElement>(null);
  const steps = layout.boxes.filter(isStep);
  const [current, setCurrent] = useState<string>();
  const stop = steps.find(({ id }) => id === current) ?? steps.find(({ name }) => name === selected) ?? steps[0];
  useLayoutEffect(() => {
    const element = ground.current;
    if (element) element.scrollLeft = (element.scrollWidth - element.clientWidth) / 2;
  }, [layout.width]);
  useEffect(() => {
    if (current !== undefined) ground.current?.querySelector<HTMLElement>(`#${current}`)?.focus();
  }, [current]);
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const at = steps.findIndex(({ id }) => id === stop?.id);
    const next = event.key === 'Home' ? steps[0] : event.key === 'End' ? steps.at(-1) : step === undefined ? undefined : steps[at + step];
    if (!next) return;
    event.preventDefault();
    setCurrent(next.id);
  };
  return (
    <div ref={ground} class="graph">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons have the focus */}
      <div class="graph-ground" style={{ width: `${layout.width}px`, height: `${layout.height}px` }} onKeyDown={move}>
        {layout.boxes
          .filter(({ kind }) => kind === 'frame')
          .map((box) => (
            <Frame key={box.id} box={box} />
          ))}
        <Edges layout={layout} />
        {layout.boxes
          .filter(({ kind }) => kind === 'mark' || kind === 'join')
          .map((box) => (
            <Mark key={box.id} box={box} />
          ))}
        {steps.map((box) => (
          <StepBox
            key={box.id}
            box={box}
            state={states.get(box.name) ?? rest}
            has_begun={states.has(box.name)}
            is_selected={box.name === selected}
            is_stop={box.id === stop?.id}
            onSelect={() => {
              setCurrent(box.id);
              onSelect(box.name === selected ? '' : box.name);
            }}
          />
        ))}
      </div>
    </div>
  );
}

const placeOf = ({ x, y, width, height }: Box) => ({ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });

interface StepBoxProps {
  box: Box;
  state: StepState;
  has_begun: boolean;
  is_selected: boolean;
  is_stop: boolean;
  onSelect: () => void;
}

function StepBox({ box, state, has_begun, is_selected, is_stop, onSelect }: StepBoxProps) {
  return (
    <button
      type="button"
      id={box.id}
      class={`graph-step tone-${state.tone}`}
      style={placeOf(box)}
      data-begun={has_begun || undefined}
      aria-pressed={is_selected}
      tabIndex={is_stop ? 0 : -1}
      title={box.about}
      onClick={onSelect}
    >
      <span class="graph-name">
        <InertText text={box.name} />
        <span class="graph-about">
          <InertText text={box.about} characters_max={60} />
        </span>
      </span>
      <StatusBadge status="" word={state.word} tone={state.tone} />
    </button>
  );
}

function Mark({ box }: { box: Box }) {
  if (box.kind === 'join') return <span class="graph-join" style={placeOf(box)} />;
  return (
    <span class="graph-mark" style={placeOf(box)}>
      <span>
        <InertText text={`${box.name}: ${box.about}`} />
      </span>
    </span>
  );
}

function Frame({ box }: { box: Box }) {
  return (
    <span class="graph-frame" style={placeOf(box)}>
      <InertText text={`${box.name}: ${box.about}`} />
    </span>
  );
}

function pathOf({ from: [x1, y1], to: [x2, y2] }: Edge): string {
  const middle = (y1 + y2) / 2;
  return x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}

function Edges({ layout: { width, height, edges } }: { layout: GraphLayout }) {
  return (
    <>
      <svg class="graph-edges" width={width} height={height} aria-hidden="true" focusable="false">
        {edges.map((edge) => (
          <path key={pathOf(edge)} d={pathOf(edge)} />
        ))}
      </svg>
      {edges.map(
        ({ label, to: [x, y] }) =>
          label !== undefined && (
            <span key={`${x}-${y}`} class="graph-label" style={{ left: `${x}px`, top: `${y - 14}px` }} title={label}>
              <InertText text={label} characters_max={80} />
            </span>
          ),
      )}
    </>
  );
}
