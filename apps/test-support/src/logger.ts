/** A logger for servers whose log does not matter to the test. */
export const silent = {
  debug: (): void => {},
  info: (): void => {},
  warn: (): void => {},
  error: (): void => {},
}
