/** Returns the options, with a default for each undefined option. */
export function withDefaults<Options extends object, Name extends keyof Options>(
  given: Options,
  defaults: Required<Pick<Options, Name>>,
): Options & Required<Pick<Options, Name>> {
  const defined = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...given, ...defaults, ...Object.fromEntries(defined) }
}
