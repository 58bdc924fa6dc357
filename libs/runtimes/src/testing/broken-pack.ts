/** A pack that cannot be loaded. */
export const pack = (() => {
  throw new Error('its licence has run out');
})();
