/** Counts the characters of a string in Unicode code points, as directories do. */
export const characters = (text: string): number => Array.from(text).length
