/** Style sheets are imported for the bundler, which puts them beside the script that needs them. */
declare module '*.css' {}
