/* The Bessel functions of orders 0 and 1 by Cephes' rational functions, and the spherical one of order 0. Single precision is computed
   in double and rounded. Up to 5, where a block has nothing beyond, they run in vectors. */
#include "double_math.h"

#define BLOCK 64
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

static double far_from_zero(double x, Function which) {
    const int order = which == J1 || which == Y1, second = which == Y0 || which == Y1;
    const double at = fabs(x);
    if (which == SPHERICAL) return fabs(x) == INFINITY ? 0.0 : sin(x) / x;
    if (!(at < INFINITY) || (second && x < 0)) return NAN; /* PyTorch's are NaN at infinity */
    const double w = 5.0 / at, z = order ? w * w : 25.0 / (at * at);
    const double p = order ? POLYNOMIAL(z, p1_top) / POLYNOMIAL(z, p1_bottom) : POLYNOMIAL(z, p0_top) / POLYNOMIAL(z, p0_bottom);
    const double q = w * (order ? POLYNOMIAL(z, q1_top) / MONIC(z, q1_bottom) : POLYNOMIAL(z, q0_top) / MONIC(z, q0_bottom));
    const double turned = order ? 2.35619449019234492885 : QUARTER;
    double found;
    if (at < 10.0) {
        const double c = cos(at - turned), s = sin(at - turned);
        found = (second ? p * s + q * c : p * c - q * s) * ROOT_OF_IT / sqrt(at);
    } else {
        const double c = cos(at), s = sin(at);
        const double sum = which == J0 ? (p + q) * c + (p - q) * s : which == J1 ? (q - p) * c + (p + q) * s
                         : which == Y0 ? (q - p) * c + (p + q) * s : (q - p) * s - (p + q) * c;
        found = sum * 5.64189583547756286948e-1 / sqrt(at); /* sqrt(1 / pi) */
    }
    return which == J1 && x < 0 ? -found : found;
}

#define LOOPS(T, name, near, which)                                                                       \
    WIDE static void name(char **args, const size *count, const size *steps, void *data) {                \
        (void)data;                                                                                       \
        for (size done = 0; done < *count; done += BLOCK) {                                               \
            const int m = *count - done < BLOCK ? (int)(*count - done) : BLOCK;                           \
            double x[BLOCK], found[BLOCK];                                                                \
            int far = 0;                                                                                  \
            for (int k = 0; k < BLOCK; k++) x[k] = 1;                                                     \
            for (int k = 0; k < m; k++) x[k] = *(const T *)(args[0] + (done + k) * steps[0]);             \
            for (int k = 0; k < BLOCK; k++) far |= !(fabs(x[k]) <= NEAR);                                 \
            for (int k = 0; k < BLOCK; k++) found[k] = near(x[k]);                                        \
            for (int k = 0; far && k < m; k++)                                                            \
                if (!(fabs(x[k]) <= NEAR)) found[k] = far_from_zero(x[k], which);                         \
            for (int k = 0; k < m; k++) *(T *)(args[1] + (done + k) * steps[1]) = (T)found[k];            \
        }                                                                                                 \
    }
#define OF_BOTH(name, near, which) LOOPS(float, name##_floats, near, which) LOOPS(double, name##_doubles, near, which)
OF_BOTH(j0, near_j0, J0)
OF_BOTH(j1, near_j1, J1)
OF_BOTH(y0, near_y0, Y0)
OF_BOTH(y1, near_y1, Y1)
OF_BOTH(spherical, near_spherical, SPHERICAL)

#define UFUNC(name, function) {#name, 1, {function##_floats, function##_doubles}, 0}
Ufunc bessel_ufuncs[] = {UFUNC(bessel_j0, j0), UFUNC(bessel_j1, j1), UFUNC(bessel_y0, y0), UFUNC(bessel_y1, y1), UFUNC(spherical_j0, spherical), {0}};
