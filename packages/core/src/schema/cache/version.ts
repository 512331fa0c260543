import manifest from '../../../package.json' with { type: 'json' }

/** Of this package. What another one has cached is not used. */
export const VERSION: string = manifest.version
