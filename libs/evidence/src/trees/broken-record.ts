/** The log is not what a checkpoint signed: it was cut, or a record was changed. Nothing more is signed until a person has looked. */
export class BrokenRecord extends Error {}
