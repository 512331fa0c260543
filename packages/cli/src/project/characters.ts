/** Counts the characters of a string as directories do: in Unicode code points. */
export const characters = (text: string): number => Array.from(text).length
