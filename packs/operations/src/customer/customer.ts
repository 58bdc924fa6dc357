import { listCustomers } from './list-customers.js';
import { proposeCustomerUpdate } from './propose-customer-update.js';
import { queryCustomer } from './query-customer.js';

export const customer = [listCustomers, proposeCustomerUpdate, queryCustomer];
