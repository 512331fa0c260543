/**
 * Node's arguments that run a TypeScript program of this repository. `npm test` and CI run what they have
 * just built, which starts in a fifth of the time: an app from its `dist`, and other programs with the built
 * packages. Otherwise everything runs from its source, so that no test needs a build.
 *
 * @throws Error if an app is not built, in a run that uses the build
 */
export declare function program(file: URL): string[]
