import { type Expected, writeExpected } from './expected.js';
import { foldDigests } from './folds.js';
import { eventsOf, journalNames, readJournal } from './journal-file.js';

/** `npm run journals`: what every fold makes of every journal today becomes what is expected. */
const expected: Expected = {};
for (const name of journalNames()) expected[name] = foldDigests(eventsOf(readJournal(name)));
writeExpected(expected);
