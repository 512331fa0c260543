/** Counts the characters of a text like directories do: as Unicode code points. */
export const characters = (text: string): number => Array.from(text).length
