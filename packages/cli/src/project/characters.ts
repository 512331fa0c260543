/** Counts the characters of a text as directories do: by Unicode code points. */
export const characters = (text: string): number => Array.from(text).length
