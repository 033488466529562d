/** A record of the benchmark platforms as JSON of about 350 bytes. */
export function recordText(number: number): string {
  const digits = String(number).padStart(8, '0')
  return JSON.stringify({
    reference_number: `ITEM-${digits}`,
    full_name: `Person ${digits}`,
    data: {
      email: `person.${digits}@example.org`,
      phone: `+49 30 ${digits}`,
      department: 'Operations',
      job_title: 'Senior Regional Coordinator',
      salary: 30_000 + (number % 50_000),
      rating: 3.75,
      active: number % 3 === 0,
      address: `${number % 900} Some Long Street Name, Some City, Some Country`,
      left_on: null,
      updated_at: '2026-11-21T07:30:00Z',
    },
  })
}
