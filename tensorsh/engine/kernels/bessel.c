/* The Bessel functions of orders 0 and 1 by Cephes' rational functions, the spherical one of order 0, and Airy's function. Single
   precision is computed in double and rounded. What of a block lies beyond 5 is computed side by side. */
#include "double_math.h"

#define NEAR 5.0
#define TWO_OVER_PI 6.36619772367581343076e-1
#define ROOT_OF_IT 7.9788456080286535587989e-1 /* sqrt(2 / pi) */
#define QUARTER 7.85398163397448309616e-1      /* pi / 4 */

/* A polynomial, its highest degree first; the same with a first coefficient of 1. */
INLINE double by_horner(double x, const double *c, int count) {
    double p = c[0];
    for (int k = 1; k < count; k++) p = p * x + c[k];
    return p;
}
INLINE double from_one(double x, const double *c, int count) {
    double p = x + c[0];
    for (int k = 1; k < count; k++) p = p * x + c[k];
    return p;
}
#define POLYNOMIAL(x, c) by_horner(x, c, (int)(sizeof(c) / sizeof *(c)))
#define MONIC(x, c) from_one(x, c, (int)(sizeof(c) / sizeof *(c)))

/* Near 0: of the first kind, less its zeros; of the second, less the logarithm's part. */
static const double j0_top[] = {-4.79443220978201773821e9, 1.95617491946556577543e12, -2.49248344360967716204e14, 9.70862251047306323952e15};
static const double j0_bottom[] = {4.99563147152651017219e2, 1.73785401676374683123e5, 4.84409658339962045305e7, 1.11855537045356834862e10,
                                   2.11277520115489217587e12, 3.10518229857422583814e14, 3.18121955943204943306e16, 1.71086294081043136091e18};
static const double y0_top[] = {1.55924367855235737965e4, -1.46639295903971606143e7, 5.43526477051876500413e9, -9.82136065717911466409e11,
                                8.75906394395366999549e13, -3.46628303384729719441e15, 4.42733268572569800351e16, -1.84950800436986690637e16};
static const double y0_bottom[] = {1.04128353664259848412e3, 6.26107330137134956842e5, 2.68919633393814121987e8, 8.64002487103935000337e10,
                                   2.02979612750105546709e13, 3.17157752842975028269e15, 2.50596256172653059228e17};
static const double j1_top[] = {-8.99971225705559398224e8, 4.52228297998194034323e11, -7.27494245221818276015e13, 3.68295732863852883286e15};
static const double j1_bottom[] = {6.20836478118054335476e2, 2.56987256757748830383e5, 8.35146791431949253037e7, 2.21511595479792499675e10,
                                   4.74914122079991414898e12, 7.84369607876235854894e14, 8.95222336184627338078e16, 5.32278620332680085395e18};
static const double y1_top[] = {1.26320474790178026440e9, -6.47355876379160291031e11, 1.14509511541823727583e14, -8.12770255501325109621e15,
                                2.02439475713594898196e17, -7.78877196265950026825e17};
static const double y1_bottom[] = {5.94301592346128195359e2, 2.35564092943068577943e5, 7.34811944459721705660e7, 1.87601316108706159478e10,
                                   3.88231277496238566008e12, 6.20557727146953693363e14, 6.87141087355300489866e16, 3.97270608116560655612e18};

/* Beyond: the parts of Hankel's expansion, in 25 / x^2. */
static const double p0_top[] = {7.96936729297347051624e-4, 8.28352392107440799803e-2, 1.23953371646414299388e0, 5.44725003058768775090e0,
                                8.74716500199817011941e0, 5.30324038235394892183e0, 9.99999999999999997821e-1};
static const double p0_bottom[] = {9.24408810558863637013e-4, 8.56288474354474431428e-2, 1.25352743901058953537e0, 5.47097740330417105182e0,
                                   8.76190883237069594232e0, 5.30605288235394617618e0, 1.00000000000000000218e0};
static const double q0_top[] = {-1.13663838898469149931e-2, -1.28252718670509318512e0, -1.95539544257735972385e1, -9.32060152123768231369e1,
                                -1.77681167980488050595e2, -1.47077505154951170175e2, -5.14105326766599330220e1, -6.05014350600728481186e0};
static const double q0_bottom[] = {6.43178256118178023184e1, 8.56430025976980587198e2, 3.88240183605401609683e3, 7.24046774195652478189e3,
                                   5.93072701187316984827e3, 2.06209331660327847417e3, 2.42005740240291393179e2};
static const double p1_top[] = {7.62125616208173112003e-4, 7.31397056940917570436e-2, 1.12719608129684925192e0, 5.11207951146807644818e0,
                                8.42404590141772420927e0, 5.21451598682361504063e0, 1.00000000000000000254e0};
static const double p1_bottom[] = {5.71323128072548699714e-4, 6.88455908754495404082e-2, 1.10514232634061696926e0, 5.07386386128601488557e0,
                                   8.39985554327604159757e0, 5.20982848682361821619e0, 9.99999999999999997461e-1};
static const double q1_top[] = {5.10862594750176621635e-2, 4.98213872951233449420e0, 7.58238284132545283818e1, 3.66779609360150777800e2,
                                7.10856304998926107277e2, 5.97489612400613639965e2, 2.11688757100572135698e2, 2.52070205858023719784e1};
static const double q1_bottom[] = {7.42373277035675149943e1, 1.05644886038262816351e3, 4.98641058337653607651e3, 9.56231892404756170795e3,
                                   7.99704160447350683650e3, 2.82619278517639096600e3, 3.36093607810698293419e2};

typedef enum { J0, J1, Y0, Y1, SPHERICAL } Function;

/* |x| <= 5 */
INLINE double near_j0(double x) {
    const double z = x * x;
    const double found = (z - 5.78318596294678452118e0) * (z - 3.04712623436620863991e1) * POLYNOMIAL(z, j0_top) / MONIC(z, j0_bottom);
    return fabs(x) < 1e-5 ? 1.0 - z / 4.0 : found;
}
INLINE double near_j1(double x) {
    const double z = x * x, w = POLYNOMIAL(z, j1_top) / MONIC(z, j1_bottom);
    const double found = w * x * (z - 1.46819706421238932572e1) * (z - 4.92184563216946036703e1);
    return fabs(x) < 1.490116119384765625e-8 ? 0.5 * x : found;
}
/* What is not positive: infinite at 0, NaN below. */
INLINE double ends_of_second(double x, double found) { return x > 0 ? found : x == 0 ? -INFINITY : NAN; }
INLINE double near_y0(double x) {
    const double z = x * x;
    return ends_of_second(x, POLYNOMIAL(z, y0_top) / MONIC(z, y0_bottom) + TWO_OVER_PI * log_double(x) * near_j0(x));
}
INLINE double near_y1(double x) {
    const double z = x * x, w = x * (POLYNOMIAL(z, y1_top) / MONIC(z, y1_bottom));
    return ends_of_second(x, w + TWO_OVER_PI * (near_j1(x) * log_double(x) - 1.0 / x));
}
/* sin(x) / x */
INLINE double near_spherical(double x) {
    const double z = x * x, series = 1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110))));
    const double safe = fabs(x) < 0.5 ? 1.0 : x;
    return fabs(x) < 0.5 ? series : sin_double(safe) / safe;
}

/* The same for a float, by the sine of one. */
INLINE double near_spherical_single(double x) {
    const double z = x * x, series = 1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110))));
    const double safe = fabs(x) < 0.5 ? 1.0 : x;
    return fabs(x) < 0.5 ? series : sin_float(safe) / safe;
}

/* Beyond 5, by the cosine and the sine of an angle. */
INLINE double angle_of(double x, const Function which) {
    const double at = fabs(x);
    if (which == SPHERICAL) return x;
    return at < 10.0 ? at - (which == J1 || which == Y1 ? 2.35619449019234492885 : QUARTER) : at;
}
INLINE double far_from_zero(double x, double c, double s, const Function which) {
    const int order = which == J1 || which == Y1, second = which == Y0 || which == Y1;
    const double at = fabs(x);
    if (which == SPHERICAL) return at == INFINITY ? 0.0 : s / x;
    const double w = 5.0 / at, z = order ? w * w : 25.0 / (at * at);
    const double p = order ? POLYNOMIAL(z, p1_top) / POLYNOMIAL(z, p1_bottom) : POLYNOMIAL(z, p0_top) / POLYNOMIAL(z, p0_bottom);
    const double q = w * (order ? POLYNOMIAL(z, q1_top) / MONIC(z, q1_bottom) : POLYNOMIAL(z, q0_top) / MONIC(z, q0_bottom));
    const double root = sqrt(at), nearer = (second ? p * s + q * c : p * c - q * s) * ROOT_OF_IT / root;
    const double sum = which == J0 ? (p + q) * c + (p - q) * s : which == J1 ? (q - p) * c + (p + q) * s
                     : which == Y0 ? (q - p) * c + (p + q) * s : (q - p) * s - (p + q) * c;
    double found = at < 10.0 ? nearer : sum * 5.64189583547756286948e-1 / root; /* sqrt(1 / pi) */
    found = !(at < INFINITY) || (second && x < 0) ? NAN : found; /* PyTorch's are NaN at infinity */
    return which == J1 && x < 0 ? -found : found;
}

/* What of a block is far, side by side. */
#define FAR_BLOCK(name, which)                                                                            \
    WIDE static void name##_far(const double *x, double *found, int m) {                                  \
        double far[BLOCK], c[BLOCK], s[BLOCK], made[BLOCK];                                               \
        int places[BLOCK + 1], some = 0;                                                                  \
        for (int k = 0; k < m; k++) {                                                                     \
            places[some] = k, far[some] = x[k];                                                           \
            some += !(fabs(x[k]) <= NEAR);                                                                \
        }                                                                                                 \
        for (int k = some; k < BLOCK; k++) far[k] = 2 * NEAR;                                             \
        for (int k = 0; k < BLOCK; k++) c[k] = cos_double(angle_of(far[k], which)), s[k] = sin_double(angle_of(far[k], which)); \
        for (int k = 0; k < some; k++)                                                                    \
            if (!(fabs(far[k]) <= MOST_ANGLE)) c[k] = cos(angle_of(far[k], which)), s[k] = sin(angle_of(far[k], which)); \
        for (int k = 0; k < BLOCK; k++) made[k] = far_from_zero(far[k], c[k], s[k], which);               \
        for (int k = 0; k < some; k++) found[places[k]] = made[k];                                        \
    }

#define LOOPS(T, name, near, far_block)                                                                   \
    WIDE static void name(char **args, const size *count, const size *steps, void *data) {                \
        (void)data;                                                                                       \
        for (size done = 0; done < *count; done += BLOCK) {                                               \
            const int m = *count - done < BLOCK ? (int)(*count - done) : BLOCK;                           \
            double x[BLOCK], found[BLOCK];                                                                \
            int far = 0;                                                                                  \
            for (int k = m; k < BLOCK; k++) x[k] = 1;                                                     \
            for (int k = 0; k < m; k++) x[k] = *(const T *)(args[0] + (done + k) * steps[0]);             \
            for (int k = 0; k < m; k++) far |= !(fabs(x[k]) <= NEAR);                                     \
            for (int k = 0; k < BLOCK; k++) found[k] = near(x[k]);                                        \
            if (far) far_block(x, found, m);                                                              \
            for (int k = 0; k < m; k++) *(T *)(args[1] + (done + k) * steps[1]) = (T)found[k];            \
        }                                                                                                 \
    }
#define OF_BOTH(name, near, which)                                                                        \
    FAR_BLOCK(name, which)                                                                                \
    LOOPS(float, name##_floats, near, name##_far)                                                         \
    LOOPS(double, name##_doubles, near, name##_far)
OF_BOTH(j0, near_j0, J0)
OF_BOTH(j1, near_j1, J1)
OF_BOTH(y0, near_y0, Y0)
OF_BOTH(y1, near_y1, Y1)
FAR_BLOCK(spherical, SPHERICAL)
LOOPS(float, spherical_floats, near_spherical_single, spherical_far)
LOOPS(double, spherical_doubles, near_spherical, spherical_far)

/* Airy's function by Cephes' ways: up to TURN by its power series, Ai(0) f(x^3) + x Ai'(0) g(x^3), beyond by the exponential
   or the wave that it nears. */
#define TURN 2.09
#define SERIES_TERMS 15
static const double airy_f[SERIES_TERMS] = {
    1.0, 0.16666666666666666, 0.005555555555555556, 7.716049382716049e-05, 5.845491956603068e-07,
    2.7835675983824134e-09, 9.096626138504618e-12, 2.1658633663106234e-14, 3.9236655186786654e-17, 5.589267120624879e-20,
    6.424444966235494e-23, 6.083754702874521e-26, 4.8283767483131115e-29, 3.2580140002112767e-32, 1.8919941929217632e-35,
};
static const double airy_g[SERIES_TERMS] = {
    1.0, 0.08333333333333333, 0.001984126984126984, 2.2045855379188714e-05, 1.413195857640302e-07,
    5.888316073501258e-10, 1.7217298460529996e-12, 3.726687978469696e-15, 6.211146630782827e-18, 8.215802421670406e-21,
    8.83419615233377e-24, 7.87361510903188e-27, 5.911122454228139e-30, 3.789181060402653e-33, 2.098106899447759e-36,
};
static const double decay_top[] = {3.46538101525629032477e-1, 1.20075952739645805542e1, 7.62796053615234516538e1, 1.68089224934630576269e2,
                                   1.59756391350164413639e2, 7.05360906840444183113e1, 1.40264691163389668864e1, 9.99999999999999995305e-1};
static const double decay_bottom[] = {5.67594532638770212846e-1, 1.47562562584847203173e1, 8.45138970141474626562e1, 1.77318088145400459522e2,
                                      1.64234692871529701831e2, 7.14778400825575695274e1, 1.40959135607834029598e1, 1.00000000000000000470e0};
static const double wave_f_top[] = {-1.31696323418331795333e-1, -6.26456544431912369773e-1, -6.93158036036933542233e-1, -2.79779981545119124951e-1,
                                    -4.91900132609500318020e-2, -4.06265923594885404393e-3, -1.59276496239262096340e-4, -2.77649108155232920844e-6,
                                    -1.67787698489114633780e-8};
static const double wave_f_bottom[] = {1.33560420706553243746e1, 3.26825032795224613948e1, 2.67367040941499554804e1, 9.18707402907259625840e0, 1.47529146771666414581e0,
                                       1.15687173795188044134e-1, 4.40291641615211203805e-3, 7.54720348287414296618e-5, 4.51850092970580378464e-7};
static const double wave_g_top[] = {1.97339932091685679179e-2, 3.91103029615688277255e-1, 1.06579897599595591108e0, 9.39169229816650230044e-1,
                                    3.51465656105547619242e-1, 6.33888919628925490927e-2, 5.85804113048388458567e-3, 2.82851600836737019778e-4,
                                    6.98793669997260967291e-6, 8.11789239554389293311e-8, 3.41551784765923618484e-10};
static const double wave_g_bottom[] = {9.30892908077441974853e0, 1.98352928718312140417e1, 1.55646628932864612953e1, 5.47686069422975497931e0, 9.54293611618961883998e-1,
                                       8.64580826352392193095e-2, 4.12656523824222607191e-3, 1.01259085116509135510e-4, 1.17166733214413521882e-6, 4.91834570062930015649e-9};
#define ROOT_OF_INVERSE 5.64189583547756286948e-1 /* sqrt(1 / pi) */

INLINE double airy_series(double x) {
    const double z = x * x * x;
    double f = airy_f[SERIES_TERMS - 1], g = airy_g[SERIES_TERMS - 1];
    for (int n = SERIES_TERMS - 2; n >= 0; n--) f = FMA(f, z, airy_f[n]), g = FMA(g, z, airy_g[n]);
    return FMA(f, 0.355028053887817239, -(0.258819403792806798 * (x * g)));
}
/* 2/3 of |x|^(3/2), beyond 1. */
INLINE Pair two_thirds(double x) {
    const double at = fabs(x) > 1.0 ? fabs(x) : 1.0;
    const Pair root = pair_root((Pair){at, 0.0}), power = pair_scaled(root, at);
    return pair_quotient(pair_of(2.0 * power.high, 2.0 * power.low), (Pair){3.0, 0.0});
}
INLINE double airy_decay(double x) {
    const double at = x > 1.0 ? x : 1.0;
    const Pair power = two_thirds(at);
    const double z = 1.0 / power.high, shrunk = exp_double(-power.high) * (1.0 - power.low);
    const double found = ROOT_OF_INVERSE * (POLYNOMIAL(z, decay_top) / POLYNOMIAL(z, decay_bottom)) * shrunk / (2.0 * sqrt(sqrt(at)));
    return x > 103.892 ? 0.0 : found; /* less than the smallest number */
}
/* By the cosine and the sine of the angle's first part. */
INLINE Pair airy_angle(double x) {
    const Pair power = two_thirds(x < -1.0 ? x : -1.0), sum = pair_sum(power.high, QUARTER);
    return (Pair){sum.high, sum.high < 1e8 ? sum.low + (power.low + 3.06161699786838301793e-17) : 0.0}; /* small beside 1 */
}
INLINE double airy_wave(double x, double c, double s) {
    const double z = 1.0 / two_thirds(x).high, zz = z * z, low = airy_angle(x).low, at = x < -1.0 ? -x : 1.0;
    const double f = 1.0 + zz * POLYNOMIAL(zz, wave_f_top) / MONIC(zz, wave_f_bottom), g = z * POLYNOMIAL(zz, wave_g_top) / MONIC(zz, wave_g_bottom);
    return ROOT_OF_INVERSE / sqrt(sqrt(at)) * (FMA(low, c, s) * f - FMA(-low, s, c) * g);
}
WIDE static void airy_block(const double *x, double *found) {
    int near = 0, above = 0, below = 0;
    double c[BLOCK], s[BLOCK];
    for (int k = 0; k < BLOCK; k++) near |= fabs(x[k]) < TURN, above |= x[k] >= TURN, below |= x[k] <= -TURN;
    for (int k = 0; k < BLOCK; k++) found[k] = NAN; /* also at infinity, as PyTorch's */
    for (int k = 0; near && k < BLOCK; k++) found[k] = fabs(x[k]) < TURN ? airy_series(x[k]) : found[k];
    for (int k = 0; above && k < BLOCK; k++) found[k] = x[k] >= TURN && x[k] < INFINITY ? airy_decay(x[k]) : found[k];
    if (!below) return;
    for (int k = 0; k < BLOCK; k++) {
        const double angle = airy_angle(x[k]).high;
        c[k] = cos_double(angle), s[k] = sin_double(angle);
    }
    for (int k = 0; k < BLOCK; k++) {
        const double angle = airy_angle(x[k]).high;
        if (!(angle <= MOST_ANGLE)) c[k] = cos(angle), s[k] = sin(angle);
    }
    for (int k = 0; k < BLOCK; k++) found[k] = x[k] <= -TURN ? airy_wave(x[k], c[k], s[k]) : found[k];
}
BY_BLOCKS(float, airy_floats, airy_block)
BY_BLOCKS(double, airy_doubles, airy_block)

#define UFUNC(name, function) {#name, 1, {function##_floats, function##_doubles}, 0}
Ufunc bessel_ufuncs[] = {UFUNC(bessel_j0, j0), UFUNC(bessel_j1, j1), UFUNC(bessel_y0, y0), UFUNC(bessel_y1, y1), UFUNC(spherical_j0, spherical), UFUNC(airy_ai, airy), {0}};
