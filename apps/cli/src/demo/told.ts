/** One thing that the demo made, and the page of the console that shows it. */
export interface Told {
  what: string;
  where: string;
}
