/** A city whose name the server knows. */
export interface City {
  readonly name: string
  /** The postal code of the city's state. */
  readonly state: string
  readonly latitude: number
  readonly longitude: number
}

export const CITIES: readonly City[] = [
  { name: 'Anchorage', state: 'AK', latitude: 61.2176, longitude: -149.8997 },
  { name: 'Boston', state: 'MA', latitude: 42.3601, longitude: -71.0589 },
  { name: 'Chicago', state: 'IL', latitude: 41.8781, longitude: -87.6298 },
  { name: 'Denver', state: 'CO', latitude: 39.7392, longitude: -104.9903 },
  { name: 'Honolulu', state: 'HI', latitude: 21.3069, longitude: -157.8583 },
  { name: 'Houston', state: 'TX', latitude: 29.7604, longitude: -95.3698 },
  { name: 'Miami', state: 'FL', latitude: 25.7617, longitude: -80.1918 },
  { name: 'New York', state: 'NY', latitude: 40.7128, longitude: -74.006 },
  { name: 'Phoenix', state: 'AZ', latitude: 33.4484, longitude: -112.074 },
  { name: 'San Francisco', state: 'CA', latitude: 37.7749, longitude: -122.4194 },
  { name: 'Seattle', state: 'WA', latitude: 47.6062, longitude: -122.3321 },
  { name: 'Washington', state: 'DC', latitude: 38.9072, longitude: -77.0369 },
]

/** The names of all cities, as shown to people. */
export const CITY_NAMES: string = CITIES.map(({ name }) => name).join(', ')

/** Returns the city's name as used in a URI, such as `new-york`. */
export const slugOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')

/** Finds a city by its name in any common spelling: `new york`, `New York, NY`, `new-york`. */
export function findCity(text: string): City | undefined {
  const wanted = slugOf(text)
  return CITIES.find(({ name, state }) => wanted === slugOf(name) || wanted === slugOf(`${name} ${state}`))
}

/** Returns the names that start with the typed text. */
export function completeCity(typed: string): string[] {
  const start = typed.trim().toLowerCase()
  return CITIES.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(start))
}
