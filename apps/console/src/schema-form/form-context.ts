import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Schema } from './schema.js';

/** What all fields of a form share. */
interface FormState {
  /** The whole schema: references point into it. */
  root: Schema;
  /** What is wrong, by the pointer of the field. */
  issues: ReadonlyMap<string, readonly string[]>;
  is_disabled: boolean;
  /** Draws the fields inside of a field. */
  Field: ComponentType<FieldProps>;
}

export const FormContext = createContext<FormState>({ root: {}, issues: new Map(), is_disabled: false, Field: () => null });
export const useForm = (): FormState => useContext(FormContext);

/** What each field gets: its place, its schema and its value. */
export interface FieldProps {
  /** JSON Pointer of the value. */
  pointer: string;
  /** Undefined for the whole form, which has no label. */
  name: string | undefined;
  schema: unknown;
  value: unknown;
  /** Undefined: the value is left out. */
  onValue: (value: unknown) => void;
  is_required: boolean;
  depth: number;
  /** Takes the field out of a list or a map. */
  onRemove?: (() => void) | undefined;
}
