import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'

/**
 * Whether a version such as `v22.3.0` is in a range of npm, such as `^20.19 || >=22.12`. The tag of a prerelease is ignored.
 * Undefined for a range that is not understood.
 */
export const isInRange = (version: string, range: string): boolean | undefined =>
  validRange(range) === null ? undefined : satisfies(version.replace(/[-+].*/, ''), range)
