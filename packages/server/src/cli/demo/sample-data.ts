/** Made-up but lifelike records of the platforms of the demo; the same ones for the same seed. */
import { type Faker, faker } from '@faker-js/faker'
import type { Manifest } from '@recordhub/protocol'

type Json = string | number | null | Json[] | { [key: string]: Json }

export type SampleRecord = {
  reference_number: string
  full_name: string
  data: Record<string, Json>
}

type SampleModule = Manifest['modules'][number] & {
  make: (number: number) => SampleRecord
  /** A change such as happens to a record of this module. */
  change: (record: SampleRecord) => SampleRecord['data']
  count: number
}

type SamplePlatform = Omit<Manifest, 'modules'> & {
  modules: SampleModule[]
}

const field = (key: string, label: string, required = false, type = 'string') => ({
  key,
  label,
  type,
  required,
})
const TIMES = [field('created_at', 'Created'), field('updated_at', 'Updated')]

export function samplePlatform(name: string): SamplePlatform {
  if (name === 'hr') return humanResources(seeded(1))
  if (name === 'clinic') return clinic(seeded(2))
  if (name === 'library') return library(seeded(3))
  throw new Error(`There is no sample platform "${name}"`)
}

function seeded(seed: number): Faker {
  faker.seed(seed)
  return faker
}

function humanResources(fake: Faker): SamplePlatform {
  return {
    platform_name: 'hr_suite',
    platform_title: 'HR Suite',
    platform_description: 'Employees and leave requests of a company of a thousand people.',
    modules: [
      {
        module_name: 'Employees',
        record_type: 'employee',
        description: 'All employees of the company',
        fields: [
          field('reference_number', 'Employee no.', true),
          field('job_title', 'Job title', true),
          field('department', 'Department'),
          field('email', 'E-mail'),
          field('phone', 'Phone'),
          field('salary', 'Salary', false, 'number'),
          field('left_on', 'Left on', false, 'date'),
          ...TIMES,
        ],
        count: 800,
        make: (number) => {
          const full_name = fake.person.fullName()
          return {
            reference_number: `EMP-${String(number).padStart(5, '0')}`,
            full_name,
            data: {
              reference_number: `EMP-${String(number).padStart(5, '0')}`,
              job_title: fake.person.jobTitle(),
              department: fake.commerce.department(),
              email: fake.internet.email({ firstName: full_name }).toLowerCase(),
              phone: fake.phone.number({ style: 'international' }),
              salary: fake.number.int({ min: 28_000, max: 140_000 }),
              left_on:
                fake.number.int(30) === 0 ? fake.date.past().toISOString().slice(0, 10) : null,
              ...createTimes(fake),
            },
          }
        },
        change: () => ({
          job_title: fake.person.jobTitle(),
          salary: fake.number.int({ min: 28_000, max: 140_000 }),
        }),
      },
      {
        module_name: 'Leave requests',
        record_type: 'leave_request',
        description: 'Holidays and absences',
        fields: [
          field('reference_number', 'Request no.', true),
          field('kind', 'Kind', true),
          field('from', 'From'),
          field('days', 'Days', false, 'integer'),
          field('status', 'Status'),
          ...TIMES,
        ],
        count: 600,
        make: (number) => ({
          reference_number: `LR-${number}`,
          full_name: fake.person.fullName(),
          data: {
            reference_number: `LR-${number}`,
            kind: fake.helpers.arrayElement(['holiday', 'illness', 'parental', 'study']),
            from: fake.date.soon({ days: 90 }).toISOString().slice(0, 10),
            days: fake.number.int({ min: 1, max: 20 }),
            status: 'requested',
            ...createTimes(fake),
          },
        }),
        change: () => ({ status: fake.helpers.arrayElement(['approved', 'declined', 'taken']) }),
      },
    ],
  }
}

function clinic(fake: Faker): SamplePlatform {
  return {
    platform_name: 'city_clinic',
    platform_title: 'City Clinic',
    platform_description: 'Patients and appointments of a small clinic.',
    modules: [
      {
        module_name: 'Patients',
        record_type: 'patient',
        description: 'Registered patients',
        fields: [
          field('reference_number', 'Patient no.', true),
          field('born', 'Born'),
          field('blood_type', 'Blood type'),
          field('city', 'City'),
          field('insurance', 'Insurance'),
          ...TIMES,
        ],
        count: 900,
        make: (number) => ({
          reference_number: `P${String(number).padStart(6, '0')}`,
          full_name: fake.person.fullName(),
          data: {
            reference_number: `P${String(number).padStart(6, '0')}`,
            born: fake.date.birthdate().toISOString().slice(0, 10),
            blood_type: fake.helpers.arrayElement([
              'A+',
              'A-',
              'B+',
              'B-',
              'AB+',
              'AB-',
              'O+',
              'O-',
            ]),
            city: fake.location.city(),
            insurance: fake.company.name(),
            ...createTimes(fake),
          },
        }),
        change: () => ({ city: fake.location.city() }),
      },
      {
        module_name: 'Appointments',
        record_type: 'appointment',
        description: 'Appointments of patients with doctors',
        fields: [
          field('reference_number', 'Appointment no.', true),
          field('at', 'When', true),
          field('doctor', 'Doctor'),
          field('reason', 'Reason'),
          field('state', 'State'),
          ...TIMES,
        ],
        count: 600,
        make: (number) => ({
          reference_number: `A-${number}`,
          full_name: fake.person.fullName(),
          data: {
            reference_number: `A-${number}`,
            at: fake.date.soon({ days: 30 }).toISOString(),
            doctor: `Dr. ${fake.person.lastName()}`,
            reason: fake.helpers.arrayElement(['check-up', 'vaccination', 'pain', 'follow-up']),
            state: 'booked',
            ...createTimes(fake),
          },
        }),
        change: () => ({
          state: fake.helpers.arrayElement(['confirmed', 'moved', 'seen', 'missed']),
        }),
      },
    ],
  }
}

function library(fake: Faker): SamplePlatform {
  return {
    platform_name: 'harbour_library',
    platform_title: 'Harbour Library',
    platform_description: 'Books and loans of a library, whose server fails now and then.',
    modules: [
      {
        module_name: 'Books',
        record_type: 'book',
        description: 'All books of the library',
        fields: [
          field('reference_number', 'Shelf mark', true),
          field('title', 'Title', true),
          field('contributors', 'Contributors', false, 'array'),
          field('published', 'Published', false, 'object'),
          field('url', 'Page'),
          ...TIMES,
        ],
        count: 240,
        make: (number) => {
          const title = fake.book.title()
          return {
            reference_number: `BK-${String(number).padStart(4, '0')}`,
            full_name: title,
            data: {
              reference_number: `BK-${String(number).padStart(4, '0')}`,
              title,
              contributors: [
                { name: fake.book.author(), role: 'author' },
                ...(number % 3 === 0 ? [{ name: fake.person.fullName(), role: 'translator' }] : []),
              ],
              published: {
                year: fake.number.int({ min: 1890, max: 2024 }),
                place: { placeName: fake.location.city(), country: fake.location.countryCode() },
              },
              url: `https://library.example/books/${number}`,
              ...createTimes(fake),
            },
          }
        },
        change: () => ({
          published: {
            year: fake.number.int({ min: 1890, max: 2024 }),
            place: { placeName: fake.location.city(), country: fake.location.countryCode() },
          },
        }),
      },
      {
        module_name: 'Loans',
        record_type: 'loan',
        description: 'Who has which book',
        fields: [
          field('reference_number', 'Loan no.', true),
          field('book', 'Book', true),
          field('due_on', 'Due on', false, 'date'),
          field('state', 'State'),
          ...TIMES,
        ],
        count: 300,
        make: (number) => ({
          reference_number: `L-${number}`,
          full_name: fake.person.fullName(),
          data: {
            reference_number: `L-${number}`,
            book: `BK-${String(fake.number.int({ min: 1, max: 240 })).padStart(4, '0')}`,
            due_on: fake.date.soon({ days: 28 }).toISOString().slice(0, 10),
            state: 'lent',
            ...createTimes(fake),
          },
        }),
        change: () => ({ state: fake.helpers.arrayElement(['renewed', 'reminded', 'returned']) }),
      },
    ],
  }
}

function createTimes(fake: Faker): { created_at: string; updated_at: string } {
  const at = fake.date.past().toISOString()
  return { created_at: at, updated_at: at }
}
