import type { Pack } from '@countersign/tool-kit';
import { bookFlight } from './book-flight/book-flight.js';
import { bookHotel } from './book-hotel/book-hotel.js';
import { ROOT_SETTING } from './fake-system.js';
import { orderCourier } from './order-courier/order-courier.js';
import { paySupplier } from './pay-supplier/pay-supplier.js';
import { printLetter } from './print-letter/print-letter.js';
import { sendMail } from './send-mail/send-mail.js';

/** Fake business systems for `npm run demo`: folders of receipts in COUNTERSIGN_DEMO_ROOT. Nothing real happens. */
export const pack: Pack = {
  name: 'demo',
  settings: { [ROOT_SETTING]: './demo' },
  folders: [{ variable: ROOT_SETTING }],
  tools: [bookFlight, bookHotel, orderCourier, paySupplier, printLetter, sendMail],
};
