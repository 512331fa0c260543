import type { Alert } from './weather-source.ts'

const ALERTS: ReadonlyMap<string, readonly Alert[]> = new Map([
  [
    'CA',
    [
      {
        event: 'Red Flag Warning',
        severity: 'Severe',
        area: 'North Bay Interior Mountains; East Bay Hills',
        headline: 'Red Flag Warning until 8 PM PDT this evening',
        description:
          'Dry wind of 25 to 35 mph with gusts to 50 mph. Any fire that starts will spread quickly.',
        instruction: 'Do not burn outdoors. Be ready to leave.',
      },
      {
        event: 'Beach Hazards Statement',
        severity: 'Moderate',
        area: 'San Francisco; Coastal North Bay',
        headline: 'Beach Hazards Statement through Saturday morning',
        description: 'Sneaker waves and rip currents along beaches that face the ocean.',
        instruction: 'Stay off rocks and jetties, and never turn your back on the ocean.',
      },
    ],
  ],
  [
    'FL',
    [
      {
        event: 'Rip Current Statement',
        severity: 'Moderate',
        area: 'Coastal Miami-Dade; Coastal Broward',
        headline: 'High rip current risk through Friday evening',
        description: 'Dangerous rip currents along all beaches of the Atlantic coast.',
        instruction: 'Swim near a lifeguard. If caught, float, and call for help.',
      },
    ],
  ],
  [
    'TX',
    [
      {
        event: 'Flood Warning',
        severity: 'Severe',
        area: 'Harris; Fort Bend',
        headline: 'Flood Warning until tomorrow afternoon',
        description: 'The Brazos River is above flood stage and still rising.',
        instruction: 'Turn around, do not drown: most deaths by flood happen in vehicles.',
      },
      {
        event: 'Heat Advisory',
        severity: 'Moderate',
        area: 'Harris; Galveston; Brazoria',
        headline: 'Heat Advisory from noon to 7 PM CDT',
        description: 'Heat index values up to 109.',
        instruction: null,
      },
    ],
  ],
])

/** Returns a state's invented alerts. They are the same on every call. */
export const sampleAlerts = (state: string): Alert[] => [...(ALERTS.get(state) ?? [])]
