import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'

/** PEM texts for a client of a TLS listener. */
export interface NodeCertificates {
  readonly ca: string
  readonly clientCertificate: string
  readonly clientKey: string
  /** The common name in the client certificate: the user that EXTERNAL logs in. */
  readonly clientName: string
}

const clientName = 'warren-client'

/** Makes a small authority, a certificate for localhost and one for a client, all valid for a week. */
export async function createCertificates(directory: string): Promise<NodeCertificates> {
  await mkdir(directory)
  await createAuthority(directory)
  await issue({ directory, file: 'server', name: 'localhost', extensions: serverExtensions })
  await issue({ directory, file: 'client', name: clientName, extensions: 'extendedKeyUsage=clientAuth\n' })
  // A broker in a container is another user and must read it. It guards nothing.
  await chmod(join(directory, 'server.key'), 0o644)
  const read = (file: string) => readFile(join(directory, file), 'utf8')
  return {
    ca: await read('ca.pem'),
    clientCertificate: await read('client.pem'),
    clientKey: await read('client.key'),
    clientName,
  }
}

const serverExtensions = 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n'
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

async function createAuthority(directory: string): Promise<void> {
  const subject = ['-subj', '/CN=Warren test authority', '-days', '7']
  const usage = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign']
  await openssl(directory, [
    'req',
    '-x509',
    ...newKey,
    ...subject,
    ...usage,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  ])
}

interface CertificateOrder {
  readonly directory: string
  readonly file: string
  readonly name: string
  readonly extensions: string
}

async function issue({ directory, file, name, extensions }: CertificateOrder): Promise<void> {
  await writeFile(join(directory, `${file}.ext`), extensions)
  await openssl(directory, [
    'req',
    ...newKey,
    '-subj',
    `/CN=${name}`,
    '-keyout',
    `${file}.key`,
    '-out',
    `${file}.csr`,
  ])
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '7']
  const files = ['-in', `${file}.csr`, '-extfile', `${file}.ext`, '-out', `${file}.pem`]
  await openssl(directory, ['x509', '-req', ...authority, ...files])
}

async function openssl(cwd: string, args: readonly string[]): Promise<void> {
  await runCommand('openssl', args, { cwd })
}
