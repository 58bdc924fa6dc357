import { queryPrice } from './query-price.js';
import { queryProduct } from './query-product.js';
import { searchProducts } from './search-products.js';

export const product = [queryPrice, queryProduct, searchProducts];
