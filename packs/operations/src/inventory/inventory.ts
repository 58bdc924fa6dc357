import { listShortages } from './list-shortages.js';
import { proposeStockAdjustment } from './propose-stock-adjustment.js';
import { queryReservation } from './query-reservation.js';
import { queryStock } from './query-stock.js';

export const inventory = [listShortages, proposeStockAdjustment, queryReservation, queryStock];
