/** A pattern is meant for `u`, but many are written without it in mind, such as `[\w-.]`, and do not compile. */
export function compilePattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch (error) {
    if (flags === '') throw error
    return new RegExp(pattern)
  }
}
