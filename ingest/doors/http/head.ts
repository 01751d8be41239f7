import { requestIdHeader, requestIdOf } from '../../../infra/runtime/process/request-id.ts';
import type { CertificateClaim } from './certificate-proxies.ts';

/** The headers of a request that the edge reads. */
export class RequestHead {
  authorization = '';
  contentType = '';
  contentEncoding = '';
  /** -1: none. */
  contentLength = -1;
  isChunked = false;
  /** The server may take other bytes for the end of the body than a proxy before it: request smuggling. */
  hasAmbiguousFraming = false;
  forwardedFor = '';
  /** True if another header says that a proxy passed it on. */
  isForwarded = false;
  origin = '';
  traceparent = '';
  /** The client's; '' where it sends none that is valid. */
  requestId = '';
  certificate: { -readonly [Header in keyof CertificateClaim]: string } | undefined;
  /** A header that is sent twice, and must not be: two servers may take different ones. */
  repeated: 'Authorization' | 'Host' | undefined;
  /** Bits that say which of the two came. */
  #came = 0;
  #hasTrailerField = false;

  add(name: string, value: string): void {
    switch (name) {
      case 'authorization':
        if ((this.#came & 1) !== 0) this.repeated = 'Authorization';
        this.#came |= 1;
        this.authorization = value;
        break;
      case 'host':
        if ((this.#came & 2) !== 0) this.repeated = 'Host';
        this.#came |= 2;
        break;
      case 'content-type':
        this.contentType = value;
        break;
      case 'content-length':
        // The repacked server goes on with the first of two lengths.
        if (this.contentLength !== -1) this.hasAmbiguousFraming = true;
        this.contentLength = Number(value);
        break;
      case 'transfer-encoding':
        // It also takes any coding that contains "chunked".
        if (value.toLowerCase() !== 'chunked') this.hasAmbiguousFraming = true;
        this.isChunked = true;
        break;
      case 'content-encoding':
        this.contentEncoding = value;
        break;
      case 'origin':
        this.origin = value;
        break;
      case requestIdHeader:
        this.requestId = requestIdOf(value);
        break;
      case 'traceparent':
        this.traceparent = value;
        break;
      case 'x-forwarded-for':
        this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor}, ${value}`;
        break;
      default:
        this.#addRare(name, value);
    }
  }

  /** Few requests have any of these. */
  #addRare(name: string, value: string): void {
    switch (name) {
      case 'trailer':
        this.#hasTrailerField = true;
        break;
      case 'forwarded':
      case 'via':
      case 'x-real-ip':
        this.isForwarded = true;
        break;
      case 'client-cert':
      case 'x-ssl-client-cert':
      case 'x-ssl-client-verify':
        this.certificate ??= {
          'client-cert': '',
          'x-ssl-client-cert': '',
          'x-ssl-client-verify': '',
        };
        // Of two with one name, one is the client's and one the proxy's: joined, they are no certificate.
        this.certificate[name] += this.certificate[name] === '' ? value : `, ${value}`;
        break;
      default:
    }
  }

  /** Whether the header says that the body is encoded. */
  get hasEncoding(): boolean {
    return this.contentEncoding !== '' && this.contentEncoding.toLowerCase() !== 'identity';
  }

  get isGzip(): boolean {
    return this.contentEncoding.toLowerCase() === 'gzip';
  }

  /** Whether trailers are announced. */
  get hasTrailers(): boolean {
    return this.#hasTrailerField && this.isChunked;
  }
}
