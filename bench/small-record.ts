/** Flat records of 350 bytes. */
const TEXTS = ['reference_number', 'email', 'phone', 'department', 'job_title', 'address', 'notes']
const TYPES = {
  ...Object.fromEntries(TEXTS.map((key) => [key, 'string'])),
  ...{ salary: 'integer', rating: 'decimal', active: 'boolean', left_on: 'date' },
  ...{ created_at: 'datetime', updated_at: 'datetime' },
}

/** The fields of the manifest, with which records and pushes agree. */
export const SMALL_FIELDS = Object.entries(TYPES).map(([key, type]) => ({
  ...{ key, label: key, type, required: false },
}))

/** A record as JSON. */
export function smallRecord(number: number): string {
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

/** The body of a push of about 600 bytes; `{number}` stands for the number of the record in eight digits. */
export function smallPush(recordType: string): string {
  return JSON.stringify({
    module_name: 'Items',
    record_type: recordType,
    reference_number: 'PUSHED-{number}',
    full_name: 'Person {number}',
    data: {
      reference_number: 'PUSHED-{number}',
      email: 'person.{number}@example.org',
      phone: '+49 30 123456',
      department: 'Operations',
      job_title: 'Senior Regional Coordinator',
      salary: 54321,
      address: '17 Some Long Street Name, 12345 Some City, Some Country',
      notes:
        'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.',
      left_on: null,
      created_at: '2026-11-21T07:30:00Z',
      updated_at: '2026-11-21T07:30:00Z',
    },
  })
}
