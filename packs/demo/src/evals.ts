import type { ContractTestOptions, EvalPacks, Golden, ResourceStates } from '@countersign/tool-kit/eval-pack';
import { expect } from '@countersign/tool-kit/expect';
import { ScratchSystems } from './scratch-systems.js';

let scratch: ScratchSystems | undefined;
const systems = (): ScratchSystems => {
  scratch ??= new ScratchSystems();
  return scratch;
};

const flight = { flight: 'CS 101', date: '2026-03-01', passenger: 'Ada' };
const hotel = { hotel: 'Station Hotel', nights: 2, guest: 'Ada' };
const courier = { address: 'Main Street 1', parcels: 2, reference: 'R-1' };
const payment = { supplier: 'Northwind', amount: 120, currency: 'EUR', invoice: 'INV-1' };
const mail = { to: 'ada@customers.example', subject: 'Your order', body: 'It is on its way.' };

const books = (system: string, title: string, input: Record<string, unknown>): Golden => ({
  title,
  input,
  expects: ({ receipt_id }: never) => expect(systems().bookings()).toEqual([`${system} ${receipt_id}`]),
});
const golden: Record<string, [Golden, ...Golden[]]> = {
  demo_book_flight: [books('airline', 'a seat', flight)],
  demo_book_hotel: [books('hotels', 'a room', hotel)],
  demo_order_courier: [books('logistics', 'a courier', courier)],
  demo_pay_supplier: [books('bank', 'a payment', payment), books('bank', 'with a cost centre', { ...payment, cost_centre: 'C-7' })],
  demo_print_letter: [books('printer', 'a letter', { to: 'Ada', text: 'Dear Ada\nAll is well.' })],
  demo_send_mail: [books('outbox', 'a mail', mail)],
};
const states: Record<string, ResourceStates[]> = {
  demo_book_flight: [{ title: 'a seat twice', a: flight, b: flight }],
  demo_book_hotel: [{ title: 'two stays of a guest', a: hotel, b: { ...hotel, nights: 3 } }],
  demo_order_courier: [{ title: 'two couriers for a reference', a: courier, b: { ...courier, parcels: 1 } }],
  demo_pay_supplier: [{ title: 'two invoices of a supplier', a: payment, b: { ...payment, invoice: 'INV-2' } }],
  demo_send_mail: [{ title: 'two mails to an address', a: mail, b: { ...mail, subject: 'Your invoice' } }],
};

const evalOf = (name: string, inputs: [Golden, ...Golden[]]): ContractTestOptions => ({
  golden: inputs,
  counterpart: {
    clean: async () => {
      scratch?.remove();
      scratch = undefined;
    },
    settings: () => systems().settings,
    snapshot: async () => systems().bookings(),
  },
  generated_runs: 15,
  // The last characters of the idempotency key.
  volatile: [/(?<=[a-z]-)[^"]{6}(?=")/g],
  ...(states[name] && { states: states[name] }),
});

/** The eval packs of this pack's tools. */
export const evals: EvalPacks = Object.fromEntries(Object.entries(golden).map(([name, inputs]) => [name, evalOf(name, inputs)]));
