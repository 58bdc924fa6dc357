export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/packs', '<rootDir>/test'],
  testMatch: ['**/dist/**/*.spec.js'],
  transform: {},
};
