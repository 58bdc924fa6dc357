import { createContext } from 'preact';

/** Whether something stands in a row of a list, which has one stop for the Tab key. */
export const InRowContext = createContext(false);
