// `npm publish` in the source folder would publish a package that names no platform package and so finds no binary.

console.error("Publish the tarballs that `npm run pack:release` writes to dist-packages/, not this folder: see docs/release.md.");
process.exitCode = 1;
