import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'

/**
 * Returns whether a version such as `v22.3.0` is in an npm range such as `^20.19 || >=22.12`. Prerelease tags
 * are ignored. Returns undefined for an unsupported range.
 */
export const isInRange = (version: string, range: string): boolean | undefined =>
  validRange(range) === null ? undefined : satisfies(version.replace(/[-+].*/, ''), range)
