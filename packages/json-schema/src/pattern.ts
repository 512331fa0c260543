/**
 * Compiles a `pattern`, without the flags if it does not compile with them: patterns are meant for `u`, but
 * many are written without it in mind, such as `[\w-.]`.
 *
 * @throws SyntaxError for a pattern that does not compile without flags either
 */
export function compilePattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
